// Mass sum: the second half of lutz2018's centroid update, a histogram of the labels (Section 3.2). Four ways to keep threads apart:
//   global atomic        one histogram, added to atomically by all
//   partitioned global   one for each work group in one array, added to atomically, as a group's threads would
//   partitioned local    the same on cache lines of its own
//   partitioned private  one for each of a group's threads, added to without atomics; more to merge
// A CPU thread stands for a work group, as where OpenCL runs on a CPU, and works through the group's threads side by side: nobody contends for a
// partition, so what an atomic addition costs there is the instruction. A CPU has no local memory; that of a group is a thread's own.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

namespace km {

class MassSum {
 public:
  static constexpr int copies = 8;  // threads of a group, each with a histogram of its own where they are private

  MassSum(std::string_view strategy, int k, int threads) : strategy_(strategy), k_(k), threads_(threads), counts_(k) {
    if (strategy == "partitioned global") partitions_.resize(std::size_t(threads) * k);
    if (strategy == "partitioned local") own_.assign(threads, Partition(k));
    if (strategy == "partitioned private") own_.assign(threads, Partition(std::size_t(copies) * k));
  }

  /// How many of n labels are 0, 1, ..., k - 1; valid until the next call.
  const std::vector<std::int64_t>& operator()(const std::int32_t* labels, std::int64_t n) {
    std::ranges::fill(counts_, 0);
#pragma omp parallel num_threads(threads_)
    {
      const int t = omp_get_thread_num();
      const std::int64_t first = n * t / omp_get_num_threads(), last = n * (t + 1) / omp_get_num_threads();
      if (strategy_ == "global atomic") add_atomically(labels + first, last - first, counts_.data());
      else if (strategy_ == "partitioned global") add_atomically(labels + first, last - first, partitions_.data() + std::size_t(t) * k_);
      else {
        auto& histogram = own_[t].histogram;
        if (strategy_ == "partitioned local") add_atomically(labels + first, last - first, histogram.data());
        else add(labels + first, last - first, histogram.data(), k_);
      }
    }
    merge(partitions_);
    for (auto& partition : own_) merge(partition.histogram);
    return counts_;
  }

  /// Partitioned private: count `length` labels in `copies` histograms of k counts in turn.
  static void add(const std::int32_t* labels, std::int64_t length, std::int64_t* histograms, int k) {
    std::int64_t i = 0;
    for (; i + copies <= length; i += copies)
      for (int copy = 0; copy < copies; ++copy) ++histograms[copy * k + labels[i + copy]];
    for (; i < length; ++i) ++histograms[labels[i]];
  }

 private:
  struct alignas(64) Partition {
    std::vector<std::int64_t> histogram;
    explicit Partition(std::size_t counts) : histogram(counts) {}
  };

  static void add_atomically(const std::int32_t* labels, std::int64_t length, std::int64_t* histogram) {
    for (std::int64_t i = 0; i < length; ++i) std::atomic_ref(histogram[labels[i]]).fetch_add(1, std::memory_order_relaxed);
  }

  /// Add histograms of k counts each to the counts, and leave them empty.
  void merge(std::vector<std::int64_t>& histograms) {
    for (std::size_t at = 0; at < histograms.size(); at += k_)
      for (int c = 0; c < k_; ++c) counts_[c] += histograms[at + c];
    std::ranges::fill(histograms, 0);
  }

  std::string_view strategy_;
  int k_, threads_;
  std::vector<std::int64_t> counts_, partitions_;
  std::vector<Partition> own_;
};

}  // namespace km

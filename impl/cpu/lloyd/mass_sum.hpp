// Mass sum: the second half of lutz2018's centroid update, a histogram of the labels (Section 3.2). Four strategies:
//   global atomic        one histogram, atomic additions
//   partitioned global   one per work group in one array, atomic additions
//   partitioned local    the same on separate cache lines
//   partitioned private  one per thread of a group, no atomics, more to merge
// A CPU thread stands for a work group, as in OpenCL on a CPU, and interleaves the group's threads. Local memory is the thread's own.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace km {

class MassSum {
 public:
  static constexpr int copies = 8;  // threads of a group, each with its own histogram if private

  MassSum(std::string_view strategy, int k, int threads) : strategy_(strategy), k_(k), threads_(threads), counts_(k) {
    if (strategy == "partitioned global") partitions_.resize(std::size_t(threads) * k);
    if (strategy == "partitioned local") own_.assign(threads, Partition(k));
    if (strategy == "partitioned private") own_.assign(threads, Partition(std::size_t(copies) * k));
  }

  /// Returns the counts of labels 0 .. k - 1 among n labels, valid until the next call.
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

  /// Partitioned private: counts `length` labels in `copies` alternating histograms of k counts.
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

  /// Adds histograms of k counts each to the counts and clears them.
  void merge(std::vector<std::int64_t>& histograms) {
    for (std::size_t at = 0; at < histograms.size(); at += k_)
      for (int c = 0; c < k_; ++c) counts_[c] += histograms[at + c];
    std::ranges::fill(histograms, 0);
  }

  std::string strategy_;
  int k_, threads_;
  std::vector<std::int64_t> counts_, partitions_;
  std::vector<Partition> own_;
};

}  // namespace km

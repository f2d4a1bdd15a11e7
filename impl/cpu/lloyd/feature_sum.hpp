// Feature sum: the first half of lutz2018's centroid update, the sums of every feature by label (Section 3.1). Two strategies:
//   cluster merge          a thread takes whole points and has its own table, k x d; the tables are merged at the end
//   partitioned features   a thread takes features of all points, k sums at a time; if threads outnumber features, one feature of part of the points
// A thread stands for a work group of the paper, as in OpenCL on a CPU. Ours adds a table to fp64 totals every 16,384 points, to limit rounding.
#pragma once

#include <string_view>
#include <vector>

#include "impl/cpu/lloyd/columns.hpp"

namespace km::columns {

constexpr int copies = 4;  // of sums: consecutive values need not wait for each other

/// Adds `size` values of one feature to `copies` tables of k sums by label.
template <class T>
void look_up(const T* values, const std::int32_t* labels, std::int64_t size, int k, T* sums) {
  std::int64_t i = 0;
  for (; i + copies <= size; i += copies)
    for (int copy = 0; copy < copies; ++copy) sums[copy * k + labels[i + copy]] += values[i + copy];
  for (; i < size; ++i) sums[labels[i]] += values[i];
}

/// The same by comparing the labels with every c: faster if a vector holds k sums. The size is 4 `quarter`.
template <class T>
void compare(const T* values, const std::int32_t* labels, int quarter, int k, T* sums) {
  for (int c = 0; c < k; ++c) {
    T a = 0, b = 0, e = 0, f = 0;
    for (int i = 0; i < quarter; ++i) {
      a += labels[i] == c ? values[i] : T(0);
      b += labels[i + quarter] == c ? values[i + quarter] : T(0);
      e += labels[i + 2 * quarter] == c ? values[i + 2 * quarter] : T(0);
      f += labels[i + 3 * quarter] == c ? values[i + 3 * quarter] : T(0);
    }
    sums[c] += (a + b) + (e + f);
  }
}

/// Adds values first .. last - 1 of one feature to the sums of their labels.
template <class T>
void add_feature(const T* values, const std::int32_t* labels, std::int64_t first, std::int64_t last, int k, T* sums) {
  constexpr int quarter = 256;  // four quarters stay in the first-level cache for k passes
  if (k <= int(64 / sizeof(T)))
    for (; first + 4 * quarter <= last; first += 4 * quarter) compare(values + first, labels + first, quarter, k, sums);
  look_up(values + first, labels + first, last - first, k, sums);
}

template <class T>
class FeatureSum {
 public:
  static constexpr std::int64_t tile = 16384;  // points per table

  FeatureSum(std::string_view strategy, int d, int k, int threads)
      : merge_(strategy == "cluster merge"), k_(k), cells_(std::size_t(k) * d), copies_(!merge_ || cells_ <= 512 ? copies : 1), workers_(threads),
        sums_(cells_) {}

  /// Returns the sums of each cluster's points, k x d, valid until the next call.
  const std::vector<double>& operator()(const Columns<T>& x, const std::int32_t* labels) {
    if (merge_) cluster_merge(x, labels);
    else partitioned_features(x, labels);
    return sums_;
  }

 private:
  struct alignas(64) Worker {
    std::vector<T> table;        // copies x cells
    std::vector<double> totals;  // of all of the thread's points

    /// Adds the table to `to` and clears it.
    void fold(double* to, std::size_t cells) {
      for (std::size_t at = 0; at < table.size(); at += cells)
        for (std::size_t cell = 0; cell < cells; ++cell) to[cell] += table[at + cell];
      std::ranges::fill(table, T(0));
    }
  };

  void cluster_merge(const Columns<T>& x, const std::int32_t* labels) {
#pragma omp parallel num_threads(int(workers_.size()))
    {
      const int team = omp_get_num_threads();
      Worker& mine = workers_[omp_get_thread_num()];
      mine.table.assign(copies_ * cells_, T(0));
      mine.totals.assign(cells_, 0.0);
      const Share points(x.n, omp_get_thread_num(), team);
      for (std::int64_t first = points.first; first < points.last; first += tile) {
        for (std::int64_t i = first, last = std::min(first + tile, points.last); i < last; ++i) {
          T* const row = mine.table.data() + (i & (copies_ - 1)) * cells_ + std::size_t(labels[i]) * x.d;
          const T* const point = x[0] + i;
          for (int j = 0; j < x.d; ++j) row[j] += point[j * x.stride];
        }
        mine.fold(mine.totals.data(), cells_);
      }
#pragma omp barrier
#pragma omp for
      for (std::size_t cell = 0; cell < cells_; ++cell) {
        sums_[cell] = 0;
        for (int t = 0; t < team; ++t) sums_[cell] += workers_[t].totals[cell];
      }
    }
  }

  void partitioned_features(const Columns<T>& x, const std::int32_t* labels) {
    const int d = x.d;
#pragma omp parallel num_threads(int(workers_.size()))
    {
      const int team = omp_get_num_threads(), t = omp_get_thread_num();
      const int parts = std::max(1, team / d), holders = std::min(team, d);  // parts of the points; threads that share a part's features
      if (t < parts * holders) {
        Worker& mine = workers_[t];
        const int from = d * (t % holders) / holders, to = d * (t % holders + 1) / holders;
        mine.table.assign(std::size_t(copies_) * k_, T(0));
        mine.totals.assign(std::size_t(to - from) * k_, 0.0);
        const Share points(x.n, t / holders, parts);
        for (std::int64_t first = points.first; first < points.last; first += tile)
          for (int j = from; j < to; ++j) {
            add_feature(x[j], labels, first, std::min(first + tile, points.last), k_, mine.table.data());
            mine.fold(mine.totals.data() + std::size_t(j - from) * k_, k_);
          }
      }
#pragma omp barrier
#pragma omp for
      for (int j = 0; j < d; ++j) {
        const int holder = ((j + 1) * holders - 1) / d;  // the last thread whose features start at j or before
        for (int c = 0; c < k_; ++c) {
          double& sum = sums_[std::size_t(c) * d + j] = 0;
          for (int part = 0; part < parts; ++part) sum += workers_[part * holders + holder].totals[std::size_t(j - d * holder / holders) * k_ + c];
        }
      }
    }
  }

  bool merge_;
  int k_;
  std::size_t cells_;
  int copies_;  // of a table, a power of two; one if the table is large
  std::vector<Worker> workers_;
  std::vector<double> sums_;
};

}  // namespace km::columns

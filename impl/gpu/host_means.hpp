// An update on the host, for implementations whose GPU labels points and sends the labels.
#pragma once

#include <omp.h>

#include <algorithm>
#include <vector>

#include "bench/contract/problem.hpp"

namespace km {

/// Means of sums in double. Each thread has its share of the points; the same number of threads gives the same bits.
template <class T>
class HostMeans {
 public:
  /// centroids, next: k x d; they may be the same. An empty cluster keeps its centroid. most_threads: with few points fewer sum.
  void update(const Problem<T>& p, const std::int32_t* labels, const T* centroids, T* next, int most_threads) {
    const int d = p.d, k = p.k, threads = int(std::clamp<std::int64_t>(p.n / k, 1, std::max(most_threads, 1)));
    const std::size_t cells = std::size_t(k) * d;
    sums_.resize(threads * cells), counts_.resize(std::size_t(threads) * k);
#pragma omp parallel num_threads(threads)
    {
      const int t = omp_get_thread_num(), team = omp_get_num_threads();
      for (int share = t; share < threads; share += team) {  // shares are independent of the team's size
        double* const sums = sums_.data() + share * cells;
        std::int64_t* const counts = counts_.data() + std::size_t(share) * k;
        std::fill_n(sums, cells, 0.0), std::fill_n(counts, k, 0);
        for (std::int64_t i = p.n * share / threads; i < p.n * (share + 1) / threads; ++i) {
          const int c = labels[i];
          const T* const x = p.points.data() + i * d;
          double* const sum = sums + std::size_t(c) * d;
          ++counts[c];
          for (int j = 0; j < d; ++j) sum[j] += double(x[j]);
        }
      }
    }
    for (int c = 0; c < k; ++c) {
      std::int64_t count = 0;
      for (int share = 0; share < threads; ++share) count += counts_[std::size_t(share) * k + c];
      for (std::size_t cell = std::size_t(c) * d; cell < std::size_t(c + 1) * d; ++cell) {
        double sum = 0;
        for (int share = 0; count > 0 && share < threads; ++share) sum += sums_[share * cells + cell];
        next[cell] = count > 0 ? T(sum / double(count)) : centroids[cell];
      }
    }
  }

 private:
  std::vector<double> sums_;  // threads x k x d
  std::vector<std::int64_t> counts_;
};

}  // namespace km

// wu2011's ICD and RID (Algorithm 2, steps 1 and 2) on one host thread: all distances² between centroids, each row ranked. Cost: 3 k² d / 2 flops.
#pragma once

#include <algorithm>
#include <vector>

#include "impl/rank_row.hpp"

namespace km::triangle {

template <class T>
class HostRanking {
 public:
  /// icd: k x k. A value is a plain sum of d squares in order of dimensions.
  void measure(const std::vector<T>& centroids, int d, int k, T* icd) {
    columns_.resize(centroids.size());  // d x k, to vectorize over a row's centroids
    for (int c = 0; c < k; ++c)
      for (int j = 0; j < d; ++j) columns_[std::size_t(j) * k + c] = centroids[std::size_t(c) * d + j];
    for (int a = 0; a < k; ++a) {
      T* const row = icd + std::size_t(a) * k;
      std::fill(row, row + a + 1, T(0));
      for (int j = 0; j < d; ++j) {
        const T x = centroids[std::size_t(a) * d + j];
        const T* const column = columns_.data() + std::size_t(j) * k;
        for (int c = 0; c < a; ++c) {
          const T diff = x - column[c];
          row[c] += diff * diff;
        }
      }
      for (int c = 0; c < a; ++c) icd[std::size_t(c) * k + a] = row[c];
    }
  }

  /// rid: k x k, the centroids of each row, itself first, then nearest first.
  void rank(const T* icd, int k, int* rid) {
    for (int a = 0; a < k; ++a) rank_row_(icd + std::size_t(a) * k, a, k, rid + std::size_t(a) * k);
  }

 private:
  std::vector<T> columns_;
  RowRanking<T> rank_row_;
};

}  // namespace km::triangle

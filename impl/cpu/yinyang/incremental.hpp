// The published update (taylor2021, Section III.C): a mean from the previous mean and the points that left and joined, (c old_count - left + joined)
// / new_count, in T. Its rounding accumulates, so it drifts from Lloyd's.
#pragma once

#include "impl/cpu/yinyang/sums.hpp"

namespace km {
namespace {

template <class T>
class IncrementalMeans {
 public:
  IncrementalMeans(const Problem<T>& p, int threads) : p_(p), threads_(threads) {}

  void update(std::span<const std::vector<Move>> moves, std::vector<T>& centroids, bool first) {
    if (first) counts_.assign(p_.k, 0);
    before_ = counts_;
    const std::size_t cells = std::size_t(p_.k) * p_.d;
    left_.assign(cells, T(0));
    joined_.assign(cells, T(0));
#pragma omp parallel num_threads(threads_)
    {
      const int own = omp_get_thread_num(), threads = omp_get_num_threads();
      for (const auto& list : moves)
        for (const Move& move : list) {
          if (move.from >= 0 && move.from % threads == own) add(left_, move.from, move.i, -1);
          if (move.to % threads == own) add(joined_, move.to, move.i, 1);
        }
      for (int c = own; c < p_.k; c += threads)
        for (std::size_t cell = std::size_t(c) * p_.d; counts_[c] > 0 && cell < std::size_t(c + 1) * p_.d; ++cell)
          centroids[cell] = (centroids[cell] * T(before_[c]) - left_[cell] + joined_[cell]) / T(counts_[c]);
    }
  }

 private:
  void add(std::vector<T>& sums, int c, std::int64_t i, int members) {
    counts_[c] += members;
    const T* const x = p_.points.data() + i * p_.d;
    T* const sum = &sums[std::size_t(c) * p_.d];
    for (int j = 0; j < p_.d; ++j) sum[j] += x[j];
  }

  Problem<T> p_;
  int threads_;
  std::vector<T> left_, joined_;  // k x d
  std::vector<std::int64_t> counts_, before_;
};

}  // namespace
}  // namespace km

// Means updated by moved points only. A cluster's sum is two doubles, sum and rounding error (Knuth's TwoSum), so that points can be subtracted
// again. After m additions of values with total magnitude at most `peak`, the sum is off by at most m² 2^-106 peak. If that might affect the mean
// (an outlier that left, or far more additions than points), the cluster is summed again. Sums that need no rounding (integers: pixels, codes) are
// plain. Threads share the clusters, so the result is independent of their number. Cost: 10 operations per moved value, twice; 2 without rounding.
#pragma once

#include <omp.h>

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "bench/contract/problem.hpp"
#include "impl/cpu/lloyd/strips.hpp"

namespace km {
namespace {

struct Move {
  std::int64_t i;
  std::int32_t from, to;  // from: no_label in the first iteration
};

template <class T>
class MovedSums {
 public:
  /// copies: how often each point counts, or empty: once.
  MovedSums(const Problem<T>& p, int threads, std::span<const std::int32_t> copies = {})
      : p_(p), threads_(threads), copies_(copies), exact_(sums_are_exact()) {}

  /// moves: one list per thread of assign.
  void update(std::span<const std::vector<Move>> moves, std::span<const std::int32_t> labels, std::vector<T>& centroids, bool first) {
    if (first) clear();
#pragma omp parallel num_threads(threads_)
    {
      const int own = omp_get_thread_num(), threads = omp_get_num_threads();
      for (const auto& list : moves)
        for (const Move& move : list) {
          if (move.from >= 0 && move.from % threads == own) add<-1>(move.from, move.i);
          if (move.to % threads == own) add<1>(move.to, move.i);
        }
      bool any = false;
      for (int c = own; c < p_.k; c += threads) any |= stale_[c] = is_stale(c);
      for (std::int64_t i = 0; any && i < p_.n; ++i)
        if (const int c = labels[i]; c % threads == own && stale_[c]) add<1>(c, i);
      for (int c = own; c < p_.k; c += threads) {
        if (!touched_[c]) continue;
        touched_[c] = 0;
        const double count = double(counts_[c]);
        if (counts_[c] == 0) continue;
        const Row row = this->row(c);
        for (int j = 0; j < p_.d; ++j) centroids[std::size_t(c) * p_.d + j] = T((row.sum[j] + row.lost[j]) / count);
      }
    }
  }

 private:
  struct Row {
    double *sum, *lost, *magnitude, *peak;
  };
  Row row(int c) {
    double* const at = cells_.data() + std::size_t(c) * 4 * p_.d;
    return {at, at + p_.d, at + 2 * p_.d, at + 3 * p_.d};
  }

  void clear() {
    cells_.assign(std::size_t(p_.k) * 4 * p_.d, 0.0);
    counts_.assign(p_.k, 0);
    additions_.assign(p_.k, 0);
    touched_.assign(p_.k, 0);
    stale_.assign(p_.k, 0);
  }

  /// True if no sum of points needs rounding: few enough integers.
  bool sums_are_exact() const {
    bool whole = true;
    const double n = copies_.empty() ? double(p_.n) : std::accumulate(copies_.begin(), copies_.end(), 0.0);
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(&& : whole)
    for (std::int64_t i = 0; i < p_.n; ++i) {
      if (!whole) continue;
      const T* const x = p_.points.data() + i * p_.d;
      for (int j = 0; j < p_.d; ++j) whole = whole && x[j] == std::trunc(x[j]) && std::abs(x[j]) <= 0x1p53 / n;
    }
    return whole;
  }

  template <int sign>
  void add(int c, std::int64_t i) {
    const T* const x = p_.points.data() + i * p_.d;
    const Row row = this->row(c);
    const std::int32_t copies = copies_.empty() ? 1 : copies_[i];
    const double times = sign * copies;
    counts_[c] += sign * copies;
    touched_[c] = 1;
    if (exact_) {
      for (int j = 0; j < p_.d; ++j) row.sum[j] += times * double(x[j]);
      return;
    }
    additions_[c] += copies;
    double* const __restrict sum = row.sum, * const __restrict lost = row.lost;
    double* const __restrict magnitude = row.magnitude, * const __restrict peak = row.peak;
    const int d = p_.d;
    for (int j = 0; j < d; ++j) {
      const double term = times * double(x[j]), before = sum[j], after = before + term, of_term = after - before;
      lost[j] += (before - (after - of_term)) + (term - of_term);
      sum[j] = after;
      const double total = magnitude[j] + sign * std::abs(term);
      magnitude[j] = total;
      peak[j] = total > peak[j] ? total : peak[j];
    }
  }

  /// True if a mean may be off by more than a quarter of u mean|x|, whose own sum is off by at most m 2^-53 peak. Empties such a cluster.
  bool is_stale(int c) {
    if (exact_ || !touched_[c] || additions_[c] == counts_[c]) return false;
    const double additions = double(additions_[c]), share = additions * additions * 0x1p-106 / (std::numeric_limits<T>::epsilon() / 8);
    const Row row = this->row(c);
    bool stale = false;
    for (int j = 0; j < p_.d; ++j) stale |= (share + additions * 0x1p-53) * row.peak[j] > row.magnitude[j];
    if (!stale) return false;
    std::fill_n(row.sum, 4 * p_.d, 0.0);
    counts_[c] = additions_[c] = 0;
    return true;
  }

  Problem<T> p_;
  int threads_;
  std::span<const std::int32_t> copies_;
  bool exact_;
  strips::Buffer<double> cells_;  // k x (sum, lost, magnitude, peak) x d
  std::vector<std::int64_t> counts_, additions_;
  std::vector<char> touched_, stale_;
};

/// The published update (taylor2021, Section III.C): (c old_count - left + joined) / new_count in T, from the previous mean c and the points that
/// left and joined. Its rounding accumulates, so it drifts from Lloyd's.
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

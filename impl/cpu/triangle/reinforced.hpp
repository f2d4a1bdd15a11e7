// wu2011's reinforced k-means (Algorithms 2 and 3) with one thread. Every iteration first computes the distances² between all centroids (ICD) and
// ranks each centroid's row of them (RID). A point x of label a goes through a's row, nearest first. It stops at a centroid c that is more than
// twice as far from a as x is. By the triangle inequality c and all behind it are further from x than a. Rows are stored ranked, with distance² and
// index adjacent, so that the loop reads them in order.
//
// The cut-off, in squares and as computed: D² > 4 W r², with D² for |a - c|² and r² for |x - a|². A computed sum of d squares of differences is the
// true one times 1 + e, |e| <= g = (d + 2) u / (1 - (d + 2) u), in any order. In the plain loop's arithmetic c is further than a if (D - r)² (1 - g)
// > r² (1 + g) with the true D and r, that is D > r (1 + q), q² = (1 + g) / (1 - g). The computed squares imply that if D² > r² (1 + q)² (1 + g) /
// (1 - g). With y = g / (1 - g): q² = 1 + 2y, so that (1 + q)² <= 4 (1 + y / 2)². The product is below 4 (1 + 3.1 y) for y <= 0.01. W = 1 + 4 (d +
// 4) u covers it and the rounding of the test, which is in fp64. r² as computed stands on both sides, so no case needs more than half of it: 2 g.
// Underflow changes a sum by less than d times the least normal number. r² is at least that over u, which hides it. Skipped centroids would
// therefore have lost in this arithmetic, ties included. Labels equal those of the plain loop bit by bit, at any distance from the origin.
//
// Cost of an iteration: n k' distances, k' <= k depending on the data, 3 k² d / 2 flops for ICD, k rows to rank for RID (impl/rank_row.hpp). Memory:
// k² (4 + bytes of a value).
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "impl/cpu/solver.hpp"
#include "impl/rank_row.hpp"
#include "impl/triangle/work.hpp"

namespace km {
namespace {

template <class T, int N>
struct SideBySide {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};

template <class T>
class Reinforced : public CpuSolver<T> {
 public:
  /// cut: scales the proven cut-off; below 1 labels may be wrong (the fault cut_too_early, tests/reinforced_test.cpp).
  Reinforced(const Problem<T>& problem, const Config&, Trace&, double cut = 1)
      : CpuSolver<T>(problem), widened_(4 * (1 + 4 * (problem.d + 4) * (double(std::numeric_limits<T>::epsilon()) / 2)) * cut),
        least_(double(problem.d) * double(std::numeric_limits<T>::min()) / (double(std::numeric_limits<T>::epsilon()) / 2)),
        apart_(std::size_t(problem.k) * problem.k), ranked_(apart_.size()) {}

  int iterate(Trace& trace) {
    worked_.assign(trace.active() ? p_.n : 0, 0);
    return this->repeat(trace, [&] {
      out_.assigned_centroids = out_.centroids;
      rank_centroids(trace);
      const std::int64_t changed = assign(trace);
      update(trace);
      if (trace.active()) triangle::count_m(trace, worked_);
      return changed;
    });
  }

 private:
  static constexpr int lanes = 32 / sizeof(T);

  /// Pairwise sum of N adjacent values.
  template <int N>
  static T total(const typename SideBySide<T, N>::type& values) {
    if constexpr (N == 2) {
      return values[0] + values[1];
    } else {
      typename SideBySide<T, N / 2>::type low, high;
      std::memcpy(&low, &values, sizeof low);
      std::memcpy(&high, reinterpret_cast<const char*>(&values) + sizeof low, sizeof high);
      return total<N / 2>(low + high);
    }
  }

  /// |a - b|². Every term goes through at most d additions, in a fixed order.
  static T distance(const T* a, const T* b, int d) {
    using Vector = typename SideBySide<T, lanes>::type;
    Vector sums = {};
    int j = 0;
    for (; j + lanes <= d; j += lanes) {
      Vector x, y;
      std::memcpy(&x, a + j, sizeof x);
      std::memcpy(&y, b + j, sizeof y);
      const Vector diff = x - y;
      sums += diff * diff;
    }
    T sum = total<lanes>(sums);
    for (; j < d; ++j) {
      const T diff = a[j] - b[j];
      sum += diff * diff;
    }
    return sum;
  }

  const T* centroid(int c) const { return out_.assigned_centroids.data() + std::size_t(c) * p_.d; }

  /// Computes ICD and RID: every centroid's row starts with itself, then the others, nearest first.
  void rank_centroids(Trace& trace) {
    const auto both = trace.phase("icd_rid");
    const int k = p_.k;
    {
      const auto phase = trace.phase("icd");
      for (int a = 0; a < k; ++a)
        for (int c = 0; c <= a; ++c) apart_[std::size_t(a) * k + c] = apart_[std::size_t(c) * k + a] = distance(centroid(a), centroid(c), p_.d);
    }
    const auto phase = trace.phase("rid");
    for (int a = 0; a < k; ++a) {
      T* const apart = apart_.data() + std::size_t(a) * k;
      std::int32_t* const ranked = ranked_.data() + std::size_t(a) * k;
      rank_row_(apart, a, k, ranked);
      row_.assign(apart, apart + k);
      for (int rank = 0; rank < k; ++rank) apart[rank] = row_[ranked[rank]];
    }
  }

  /// Labels every point. Returns the number of changes. Initially every label is 0; any label would do.
  std::int64_t assign(Trace& trace) {
    const auto phase = trace.phase("assign");
    const int d = p_.d, k = p_.k;
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const T* const x = p_.points.data() + i * d;
      const std::size_t row = std::size_t(std::max(out_.labels[i], 0)) * k;
      std::int32_t best = 0;
      T best_dist = 0;
      double limit = 0;
      int rank = 0;
      for (; rank < k && double(apart_[row + rank]) <= limit; ++rank) {
        const std::int32_t c = ranked_[row + rank];
        const T dist = distance(x, centroid(c), d);
        if (rank == 0) limit = widened_ * std::max(double(dist), least_);
        if (rank == 0 || dist < best_dist || (dist == best_dist && c < best)) {
          best_dist = dist;
          best = c;
        }
      }
      if (!worked_.empty()) worked_[i] = rank;
      changed += out_.labels[i] != best;
      out_.labels[i] = best;
    }
    return changed;
  }

  void update(Trace& trace) {
    const auto phase = trace.phase("update");
    const int d = p_.d;
    sums_.assign(out_.centroids.size(), 0);
    counts_.assign(p_.k, 0);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const int c = out_.labels[i];
      ++counts_[c];
      for (int j = 0; j < d; ++j) sums_[std::size_t(c) * d + j] += double(p_.points[i * d + j]);
    }
    for (std::size_t cell = 0; cell < sums_.size(); ++cell)
      if (const auto count = counts_[cell / d]; count > 0) out_.centroids[cell] = T(sums_[cell] / double(count));
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  double widened_, least_;
  std::vector<T> apart_;              // k x k distances², each row by rank
  std::vector<std::int32_t> ranked_;  // k x k, the centroid of each rank
  std::vector<T> row_;
  RowRanking<T> rank_row_;
  std::vector<std::int32_t> worked_;  // M per point, in a traced run
  std::vector<double> sums_;
  std::vector<std::int64_t> counts_;
};

}  // namespace
}  // namespace km

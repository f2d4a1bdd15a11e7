// Sums of clusters over several ranks (MPI processes), in fixed point. A value is a multiple of a coarse unit and one of a fine unit, both 64-bit
// integers. Integers add in any order, and a point can be taken away again. Centroids thus have the same bits on any number of ranks and threads,
// whether all points are added or those that moved. The ranks meet once an iteration, in one sum of 2 k d + k + 1 integers, and each makes the means
// itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "impl/column_scale.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

/// The units, of values that are scaled by a power of two so that none of their column exceeds 1. With n below 2^22, fp32 values are exact from the greatest
/// of their column down to 2^-54 of it; fp64 values keep 2^-78 of it.
struct Units {
  double coarse, fine;

  /// n values do not overflow a sum.
  explicit Units(std::int64_t n) {
    const int bits = std::min(50, 61 - (n > 1 ? std::ilogb(double(n - 1)) + 1 : 0));
    coarse = std::ldexp(1.0, -bits), fine = std::ldexp(1.0, -2 * bits);
  }
};

template <class T>
class SharedSums {
 public:
  /// All ranks make theirs together: the scales come from each column's greatest value, the units from the number of all points.
  SharedSums(const Problem<T>& p, int threads) : p_(p), threads_(threads), units_(p.whole().n), mine_(2 * cells() + std::size_t(p.k)) {
    std::vector<double> greatest(std::size_t(p_.d));
    double* const most = greatest.data();
#pragma omp parallel for num_threads(threads_) reduction(max : most[:p_.d])
    for (std::int64_t i = 0; i < p_.n; ++i)
      for (int j = 0; j < p_.d; ++j) most[j] = std::max(most[j], std::abs(double(p_.points[std::size_t(i * p_.d + j)])));
    std::vector<std::int64_t> bits;  // those of non-negative values order as the values
    for (const double value : greatest) bits.push_back(std::bit_cast<std::int64_t>(value));
    if (p_.group) p_.group->max(bits);
    for (const std::int64_t value : bits) scales_.push_back(column_scale(std::bit_cast<double>(value)));
  }

  /// Calls visit(move) on every thread; anew: from zero. move(i, from, to) takes point i of this rank from one cluster (or no_label) to another.
  template <class Visit>
  void update(bool anew, Visit visit) {
    if (anew) std::ranges::fill(mine_, 0);
#pragma omp parallel num_threads(threads_)
    {
      std::vector<std::int64_t> sums(mine_.size());
      visit([&](std::int64_t i, std::int32_t from, std::int32_t to) {
        if (from >= 0) add(i, from, -1, sums.data());
        add(i, to, 1, sums.data());
      });
#pragma omp critical(km_shared_sums)
      std::ranges::transform(sums, mine_, mine_.begin(), std::plus{});
    }
  }

  /// Moves centroids to the means of all ranks' points; an empty cluster keeps its own. Returns the sum of their `changed`.
  std::int64_t make_means(std::int64_t changed, std::vector<T>& centroids, Trace& trace) {
    const auto phase = trace.phase("reduce");
    all_ = mine_;
    all_.push_back(changed);
    if (p_.group) p_.group->sum(all_);
    const std::int64_t* const counts = all_.data() + 2 * cells();
    for (std::size_t cell = 0; cell < cells(); ++cell)
      if (const auto count = counts[cell / std::size_t(p_.d)]; count > 0) {
        const double sum = double(all_[cell]) * units_.coarse + double(all_[cell + cells()]) * units_.fine;
        centroids[cell] = T(sum / scales_[cell % std::size_t(p_.d)] / double(count));
      }
    return all_.back();
  }

 private:
  std::size_t cells() const { return std::size_t(p_.k) * std::size_t(p_.d); }

  void add(std::int64_t i, std::int32_t c, int sign, std::int64_t* sums) const {
    const T* const x = p_.points.data() + i * p_.d;
    std::int64_t* const coarse = sums + std::size_t(c) * p_.d;
    std::int64_t* const fine = coarse + cells();
    const double to_coarse = 1 / units_.coarse, to_fine = 1 / units_.fine;
    for (int j = 0; j < p_.d; ++j) {
      const double value = sign * double(x[j]) * scales_[std::size_t(j)];
      const auto whole = static_cast<std::int64_t>(value * to_coarse);
      coarse[j] += whole;
      fine[j] += static_cast<std::int64_t>((value - double(whole) * units_.coarse) * to_fine);
    }
    sums[2 * cells() + std::size_t(c)] += sign;
  }

  Problem<T> p_;
  int threads_;
  Units units_;
  std::vector<double> scales_;            // of each column
  std::vector<std::int64_t> mine_, all_;  // k x d coarse units, k x d fine units, k counts; all_: and the changed labels
};

}  // namespace
}  // namespace km

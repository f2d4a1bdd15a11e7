// Checks centroids against the means of their points.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bench/contract/problem.hpp"

namespace km {

/// Sums of each cluster, k x d row-major. sums + remainders is exact to about 2^-100.
struct ClusterSums {
  std::vector<double> sums, remainders, abs_sums;
  std::vector<std::int64_t> counts;
  double inertia = 0;  // against the final centroids
};

/// Sums the points by label. Labels must lie in [0, k).
template <class T>
ClusterSums sums_on_host(const Problem<T>& p, std::span<const std::int32_t> labels, std::span<const T> centroids);

template <class T>
std::vector<double> standard_deviations(const Problem<T>& p);

struct MeanCheck {
  std::string verdict;   // "" if rounding explains every error
  double error = 0;      // largest error
  double offset = 0;     // in standard deviations of its dimension
  double roundoffs = 0;  // in u mean|x| of its cluster
};

/// Bound of a mean's rounding: 2 u mean|x| (sqrt(m) + 4), with m the smaller of cluster size and depth: m rounding errors of random sign.
/// If errors share a sign, the bound is four times `summation` mean|x| (summation_error), at most 2 u mean|x| (m + 2) (Higham, Accuracy and Stability
/// of Numerical Algorithms, 4.2).
template <class T>
double mean_bound(double mean_abs, std::int64_t count, std::int64_t depth, double summation = 0) {
  const double m = double(std::min(depth, count)), unit = double(std::numeric_limits<T>::epsilon()) * mean_abs;
  return std::max(unit * (std::sqrt(m) + 4), std::min(4 * summation * mean_abs, unit * (m + 2))) + double(std::numeric_limits<T>::denorm_min());
}

/// Largest error of plain summation in T, in mean|x| of a cluster. Sums chains of `depth` points per cluster, then their sums, in point order and
/// backwards: small values added after a large one are lost.
template <class T>
double summation_error(const Problem<T>& p, std::span<const std::int32_t> labels, const ClusterSums& truth, std::int64_t depth);

/// Checks that each centroid is the mean of its points within mean_bound() and that empty clusters keep theirs. depth: longest chain of additions
/// behind a mean. allowed: additional tolerance in standard deviations, for incremental means; else 0.
template <class T>
MeanCheck check_means(const Problem<T>& p, const Solution<T>& s, const ClusterSums& truth, std::int64_t depth, std::span<const double> deviations,
                      double allowed = 0);

}  // namespace km

// Centroids held against the means of their points.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/problem.hpp"

namespace km {

/// Sums behind the means of the points as labelled, each a pair whose sum is exact to about 2^-100. Row-major k x d.
struct ClusterSums {
  std::vector<double> sums, remainders, abs_sums;
  std::vector<std::int64_t> counts;
  double inertia = 0;  // against the final centroids
};

/// Labels must lie in [0, k).
template <class T>
ClusterSums sums_on_host(const Problem<T>& p, std::span<const std::int32_t> labels, std::span<const T> centroids);

/// Standard deviation of the points by dimension.
template <class T>
std::vector<double> standard_deviations(const Problem<T>& p);

struct MeanCheck {
  std::string verdict;   // "" when rounding explains every deviation
  double error = 0;      // the largest deviation,
  double offset = 0;     // in standard deviations of its dimension,
  double roundoffs = 0;  // and in u mean|x| of its cluster
};

/// Each centroid is the mean of its points; one without points is where it was. depth: the longest chain of additions behind a mean.
/// A deviation is explained by 2 u mean|x| (sqrt(m) + 4), m the smaller of the cluster's size and depth, which is what the errors of m
/// additions come to when they do not all point one way; and where they do, by four times what plain summation of these very points in
/// chains of `depth` makes, at most 2 u mean|x| (m + 2) (Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
/// allowed: standard deviations that a mean may be off whatever the rounding (drift), 0 for all that do not inherit it.
template <class T>
MeanCheck check_means(const Problem<T>& p, const Solution<T>& s, const ClusterSums& truth, std::int64_t depth, std::span<const double> deviations,
                      double allowed = 0);

}  // namespace km

// The judge: every measured run is held against its own output, in fp64. A run that fails has no time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/implementation.hpp"

namespace km {

struct Judgement {
  std::string verdict;                 // "" when right, else one sentence
  double inertia = 0;                  // sum of distance²: final labels, centroids after the last update
  double mean_error = 0;               // largest deviation of a centroid value from the mean of its points
  std::int64_t wrong_labels = 0;       // judged labels that are not fp64's choice, exact ties left out
  std::int64_t judged_points = 0;
  std::vector<std::int64_t> cluster_sizes;
};

/// Hold a solution against the problem: sizes, values, means, labels.
/// Means: |centroid - mean| <= 2 (m + 2) u mean|x|, u the unit roundoff of T and m the smaller of the cluster's size and the
/// implementation's summation_depth (Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
/// Labels: distance² to the label may exceed the least one by rounding_factor(d) u (dist + dist) for Distance::difference,
/// by rounding_factor(d) u (2|x|² + |c|² + |c'|²) for Distance::expansion. All labels where n k d is at most label_budget or
/// a GPU can look, else a seeded sample of at least 100,000.
template <class T>
Judgement judge(const Problem<T>& problem, const Solution<T>& solution, const Description& description, const Config& config);

constexpr double label_budget = 5e8;

/// Mean absolute difference between centroids (k x d) and ideal ones (rows of d), each matched to the nearest ideal centroid.
template <class T>
double centroid_error(const std::vector<T>& centroids, const std::vector<double>& ideal, int d);

}  // namespace km

// The judge's two heavy steps on the GPU, in fp64. A build without CUDA answers false, and the host does them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/implementation.hpp"

namespace km {

/// What a look at every judged label found. Distances are distance², in fp64.
struct LabelCheck {
  std::int64_t judged = 0;
  std::int64_t wrong_labels = 0;   // differ from fp64's nearest centroid, and not by an exact tie
  std::int64_t out_of_bound = 0;   // of these, further away than rounding explains, or no label at all
  std::int64_t first_bad = -1;     // the lowest point of the latter
  double first_bad_dist = 0;       // its distance² to the centroid it was given (NaN where the label is none)
  double first_best_dist = 0;
  int first_best = -1;
};

/// The share of rounding: |error of dist| <= rounding_factor(d) * u * magnitude, u the unit roundoff of the precision.
constexpr double rounding_factor(int d) { return 4.0 * (d + 4.0); }

/// Sums behind the fp64 means of the points as labelled. Row-major k x d.
struct ClusterSums {
  std::vector<double> sums, abs_sums;
  std::vector<std::int64_t> counts;
  double inertia = 0;              // against the final centroids
};

/// All labels against the centroids assign used. False when there is no GPU to do it.
template <class T>
bool judge_labels_on_device(std::span<const T> points, const ProblemShape& shape, std::span<const std::int32_t> labels,
                            std::span<const T> assigned_centroids, Distance distance, LabelCheck& out);

/// Sums, counts and inertia of the labelled points. Labels must lie in [0, k). False when there is no GPU to do it.
template <class T>
bool sums_on_device(std::span<const T> points, const ProblemShape& shape, std::span<const std::int32_t> labels,
                    std::span<const T> centroids, ClusterSums& out);

}  // namespace km

// The task, written once. One iteration assigns each point to its nearest centroid (squared Euclidean distance; the
// lowest index wins a tie), then moves each centroid to the mean of its points; a cluster with no points keeps its
// centroid. A run starts from given initial centroids and stops after max_iters iterations, or when the share of
// points that changed label is at most tolerance (in the first iteration every point changes).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace km {

struct ProblemShape {
  std::int64_t n = 0;  // points; whatever is multiplied by n is 64 bits wide
  int d = 0;           // dimensions
  int k = 0;           // clusters
  int max_iters = 10;
  double tolerance = -1;  // share of points, 0 to 1; below zero: no convergence test, exactly max_iters iterations

  /// True when an iteration in which `changed` points changed label is the last one.
  bool converged(std::int64_t changed) const { return tolerance >= 0 && static_cast<double>(changed) <= tolerance * static_cast<double>(n); }
};

/// What every implementation is given. Row-major, not owned: points is n x d, initial_centroids is k x d.
template <class T>
struct Problem : ProblemShape {
  std::span<const T> points;
  std::span<const T> initial_centroids;
};

constexpr std::int32_t no_label = -1;

/// What a run hands back, on the host, row-major.
template <class T>
struct Solution {
  std::vector<std::int32_t> labels;   // n: of the last assign
  std::vector<T> assigned_centroids;  // k x d: the centroids that assign used
  std::vector<T> centroids;           // k x d: after the last update
  int iters = 0;

  static Solution poisoned(const ProblemShape& shape) {
    Solution solution;
    solution.poison(shape);
    return solution;
  }

  /// Fill with values no right answer holds, so that an unwritten output is seen.
  void poison(const ProblemShape& shape) {
    const auto cells = static_cast<std::size_t>(shape.k) * static_cast<std::size_t>(shape.d);
    labels.assign(static_cast<std::size_t>(shape.n), no_label - 1);
    assigned_centroids.assign(cells, std::numeric_limits<T>::quiet_NaN());
    centroids.assign(cells, std::numeric_limits<T>::quiet_NaN());
    iters = 0;
  }
};

}  // namespace km

// The task. One iteration assigns each point to its nearest centroid by squared Euclidean distance; the lowest index wins a tie. It then moves each
// centroid to the mean of its points. An empty cluster keeps its centroid. A run starts from given initial centroids. It stops after max_iters
// iterations, or when the share of points that changed label is at most tolerance (in the first iteration every point changes).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bench/base/unwritten.hpp"
#include "bench/contract/group.hpp"

namespace km {

struct ProblemShape {
  std::int64_t n = 0;  // points; 64 bits, as are all products with n
  int d = 0;           // dimensions
  int k = 0;           // clusters
  int max_iters = 10;
  double tolerance = -1;  // share of points, 0 to 1; below 0: no convergence test, exactly max_iters iterations

  /// True if an iteration that changes `changed` labels is the last.
  bool converged(std::int64_t changed) const { return tolerance >= 0 && static_cast<double>(changed) <= tolerance * static_cast<double>(n); }
};

/// Input of every implementation. Row-major, not owned: points n x d, initial_centroids k x d.
template <class T>
struct Problem : ProblemShape {
  std::span<const T> points;
  std::span<const T> initial_centroids;
  Group* group = nullptr;  // null: this process has all points; else n and points are those of its shard (Description::shards)
  Shard shard = {};

  /// The shape of the whole problem: its n counts the points of all ranks.
  ProblemShape whole() const {
    ProblemShape shape = *this;
    if (group) shape.n = shard.total;
    return shape;
  }
};

constexpr std::int32_t no_label = -1;
using Labels = std::vector<std::int32_t, Unwritten<std::int32_t>>;  // resize leaves new ones unwritten

/// Result of a run, on the host, row-major.
template <class T>
struct Solution {
  Labels labels;                      // n, of the last assign
  std::vector<T> assigned_centroids;  // k x d, used by the last assign
  std::vector<T> centroids;           // k x d, after the last update
  int iters = 0;

  static Solution poisoned(const ProblemShape& shape) {
    Solution solution;
    solution.poison(shape);
    return solution;
  }

  /// Fills with values of no right answer (sentinels), to detect unwritten outputs.
  void poison(const ProblemShape& shape) {
    const auto cells = static_cast<std::size_t>(shape.k) * static_cast<std::size_t>(shape.d);
    labels.assign(static_cast<std::size_t>(shape.n), no_label - 1);
    assigned_centroids.assign(cells, std::numeric_limits<T>::quiet_NaN());
    centroids.assign(cells, std::numeric_limits<T>::quiet_NaN());
    iters = 0;
  }
};

}  // namespace km

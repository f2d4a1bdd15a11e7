// Points of a block that their bounds leave open, and the points that need the distances to each group.
#pragma once

#include "impl/cpu/yinyang/groups.hpp"

namespace km {
namespace {

template <class T>
struct Open {
  std::int64_t i;
  float upper;                                         // of the distance to its centroid
  T own;                                               // distance² to its centroid
  int label, nearest;                                  // label before; nearest so far
  T first, second, other;                              // distances²: nearest, least other in its group, least of all others
  double skipped;                                      // lower bound of centroids in the nearest's group that the local filter skipped
  bool own_is_among_its_group, nearest_is_of_a_group;  // whether those groups' distances are computed
};

/// State of a thread.
template <class T>
struct alignas(64) OpenPoints {
  static constexpr int most_points = 512;  // enough for four per group, few enough for the cache

  std::vector<Open<T>> points;
  std::vector<std::int16_t> places;  // groups x most_points
  std::vector<int> counts;           // by group
  double distances = 0, past_global = 0, past_group = 0, past_local = 0;

  void begin_run(int groups) {
    places.resize(std::size_t(groups) * most_points);
    counts.assign(groups, 0);
  }
  void begin_iteration() { distances = past_global = past_group = past_local = 0; }

  /// Adds the last point to a group's list if `is_open`, without a branch.
  void need(int g, bool is_open) {
    places[std::size_t(g) * most_points + counts[g]] = std::int16_t(points.size() - 1);
    counts[g] += is_open;
  }
};

}  // namespace
}  // namespace km

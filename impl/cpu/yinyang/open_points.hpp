// Points of a block that their bounds left open, and for each group those that need its distances.
#pragma once

#include "impl/cpu/yinyang/groups.hpp"

namespace km {
namespace {

template <class T>
struct Open {
  std::int64_t i;
  float upper;                                         // of the distance to its centroid
  T own;                                               // distance² to its centroid
  int label, nearest;                                  // before; so far
  T first, second, other;                              // distance² of the nearest, of the least others in its group, of the least of all others
  double skipped;                                      // bound of those in the nearest's group that the local filter left out
  bool own_is_among_its_group, nearest_is_of_a_group;  // distances of those groups come, or came
};

/// A thread's own.
template <class T>
struct alignas(64) OpenPoints {
  static constexpr int most_points = 512;  // enough that a group finds four at a time, few enough to stay in the cache

  std::vector<Open<T>> points;
  std::vector<std::int16_t> places;  // groups x most_points
  std::vector<int> counts;           // by group
  double distances = 0, past_global = 0, past_group = 0, past_local = 0;

  void begin_run(int groups) {
    places.resize(std::size_t(groups) * most_points);
    counts.assign(groups, 0);
  }
  void begin_iteration() { distances = past_global = past_group = past_local = 0; }

  /// The last point needs the distances to a group, or not: no branch.
  void need(int g, bool is_open) {
    places[std::size_t(g) * most_points + counts[g]] = std::int16_t(points.size() - 1);
    counts[g] += is_open;
  }
};

}  // namespace
}  // namespace km

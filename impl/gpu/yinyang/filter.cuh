// Yinyang's assign with one thread per point (taylor2021, Section III; Ding et al., ICML 2015). A point has an upper bound of the distance to its
// centroid and, per group, a lower bound of those to the group's other centroids. Both follow the centroids' drifts, rounded outward
// (bounds.cuh). Global filter: if no lower bound is within the upper one, as it is or tightened by one distance, the label stays. Group filter: only
// groups whose bound is within are compared, by Compare, which renews their bounds. Filters pass what they cannot exclude, ties included.
#pragma once

#include "impl/gpu/yinyang/scan.cuh"

namespace km::yinyang {

/// Counters of one iteration in a traced run.
struct Counts {
  unsigned long long distances, past_global, past_group,
      past_local;  // points past the first filter, groups past the second, centroids past the third
};

template <class T>
struct Filters {
  const T *points, *centroids;  // d x n, k x d
  std::int64_t n;
  int d;
  bool first;          // no bounds yet: all pass
  GroupedView<T> all;  // the same centroids, grouped
  Widening<T> widening;
  T *upper, *lower;  // n, groups x n
  std::int32_t* labels;
  unsigned long long* changed;
  Counts* counts;  // or null
};

/// Result of a group.
template <class T>
struct Compared {
  Two<T> nearest;
  T skipped = cuda::infinity<T>;  // lower bound of the skipped centroids
  unsigned distances = 0;
};

/// Compares all centroids of a group.
struct WholeGroup {
  static constexpr bool local = false;
  template <class T>
  static __device__ __forceinline__ Compared<T> compare(const Filters<T>& f, const T* x, int g, T, const Two<T>&, int, T) {
    const Stretch stretch = f.all.stretches[g];
    return {scan(x, f.n, f.d, f.all, stretch), cuda::infinity<T>, static_cast<unsigned>(stretch.size)};
  }
};

template <class T, class Compare>
__global__ void __launch_bounds__(block) filter_and_assign(const __grid_constant__ Filters<T> f) {
  const std::int64_t i = std::int64_t(blockIdx.x) * block + threadIdx.x;
  const T* const x = f.points + i;
  T* const lower = f.lower + i;
  bool open = i < f.n, moved = false;
  const std::int32_t old = open && !f.first ? f.labels[i] : no_label;
  T upper = cuda::infinity<T>, old_dist = cuda::infinity<T>;
  unsigned tightened = 0, groups = 0, compared = 0;

  if (open && !f.first) {
    upper = sum_up(f.upper[i], f.all.drift[old]);
    T least = cuda::infinity<T>;
    for (int g = 0; g < f.all.groups; ++g) {
      const T bound = sum_down(lower[g * f.n], -f.all.group_drift[g]);
      lower[g * f.n] = bound;
      least = min(least, bound);
    }
    open = !(least > upper);
    if (open) {
      old_dist = distance_to(x, f.n, f.centroids + std::int64_t(old) * f.d, 1, f.d);
      upper = f.widening.at_most(old_dist);
      open = !(least > upper);
      tightened = 1;
    }
    f.upper[i] = upper;
  }

  if (__any_sync(0xFFFFFFFF, open)) {
    Two<T> best;  // of all groups
    best.first = old_dist, best.at = old >= 0 ? old : nobody;
    T beside = 0;  // bound of best's group
    int best_group = -1;
    for (int g = 0; g < f.all.groups; ++g) {
      __syncwarp();  // reconverge
      const T bound = open && !f.first ? lower[g * f.n] : T(0);
      if (!open || bound > upper) continue;
      const Compared<T> found = Compare::compare(f, x, g, bound, best, old, old_dist);
      const Two<T>& nearest = found.nearest;
      lower[g * f.n] = min(f.widening.at_least(nearest.first), found.skipped);
      compared += found.distances;
      ++groups;
      if (nearest.first < best.first || (nearest.first == best.first && nearest.at <= best.at && nearest.at != nobody)) {
        best.first = nearest.first, best.at = nearest.at;
        best_group = g;
        beside = min(f.widening.at_least(nearest.second), found.skipped);
      }
    }
    if (open) {
      if (best.at == nobody) best.at = 0;  // every distance is NaN
      if (best_group >= 0) lower[best_group * f.n] = beside;
      moved = best.at != old;
      if (moved) {
        if (old >= 0) {  // now another centroid of its group
          T& bound = lower[f.all.group_of[old] * f.n];
          bound = min(bound, f.widening.at_least(old_dist));
        }
        f.upper[i] = f.widening.at_most(best.first);
        f.labels[i] = best.at;
      }
    }
  }

  cuda::add_of_block(f.changed, moved);
  if (!f.counts) return;
  cuda::add_of_warp(&f.counts->distances, tightened + compared);
  cuda::add_of_warp(&f.counts->past_global, open);
  cuda::add_of_warp(&f.counts->past_group, groups);
  if constexpr (Compare::local) cuda::add_of_warp(&f.counts->past_local, compared);
}

}  // namespace km::yinyang

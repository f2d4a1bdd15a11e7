// Updates sums by moved points, makes centroids in all forms that the next assign reads, and measures the distances between them.
#pragma once

#include "impl/gpu/yinyang/compacted_state.cuh"

namespace km::compacted {

/// Moves points with all their copies between the sums of clusters, by integer additions, with as many lanes per row as it needs.
template <class T>
__device__ __forceinline__ void move_rows(const Run<T>& r, const SharedState<T>& s) {
  constexpr int values = 4;  // per thread in flight
  const int lane = threadIdx.x % 32, lanes = lanes_of(r.d), rows = 32 / lanes, copy = blockIdx.x % r.copies;
  const std::int64_t cells = std::int64_t(r.k) * r.d;
  Bits *const all_coarse = r.coarse + copy * cells, *const all_fine = r.fine + copy * cells;
  for (int row = threadIdx.x / 32 * rows + lane / lanes; row < s.moves; row += warps * rows) {
    const MovedRow moved = s.moved[row];
    const T* const x = r.points + std::int64_t(moved.i) * r.d;
    const int copies = r.numbers ? r.numbers[moved.i] : 1;
    const std::int64_t to = std::int64_t(moved.to) * r.d, from = std::int64_t(moved.from) * r.d;
    for (int j0 = lane % lanes; j0 < r.d; j0 += values * lanes) {
      T value[values];
#pragma unroll
      for (int u = 0; u < values; ++u) value[u] = j0 + u * lanes < r.d ? x[j0 + u * lanes] : T(0);
#pragma unroll
      for (int u = 0; u < values; ++u) {
        const int j = j0 + u * lanes;
        long long coarse, fine;
        r.fixed_point.split(double(value[u]), coarse, fine);
        coarse *= copies, fine *= copies;
        if (coarse != 0) atomicAdd(&all_coarse[to + j], Bits(coarse));
        if (fine != 0) atomicAdd(&all_fine[to + j], Bits(fine));
        if (moved.from < 0) continue;
        if (coarse != 0) atomicAdd(&all_coarse[from + j], Bits(-coarse));
        if (fine != 0) atomicAdd(&all_fine[from + j], Bits(-fine));
      }
    }
    if (lane % lanes > 0) continue;
    atomicAdd(&r.counts[copy * r.k + moved.to], copies);
    if (moved.from >= 0) atomicAdd(&r.counts[copy * r.k + moved.from], -copies);
  }
}

/// Numbers warps so that the first ones are on different multiprocessors.
__device__ __forceinline__ int warp_of_grid() { return threadIdx.x / 32 * gridDim.x + blockIdx.x; }

/// One warp per cluster: computes the mean, its shift and both forms for the next assign. given: no sums yet.
template <class T>
__device__ __forceinline__ void make_centroids(const Run<T>& r, bool given, const T* from, T* to, int slot) {
  const int lane = threadIdx.x % 32;
  const std::int64_t cells = std::int64_t(r.k) * r.d;
  for (int c = warp_of_grid(); c < r.k; c += gridDim.x * warps) {
    int count = 0;
    for (int copy = 0; copy < r.copies && !given; ++copy) count += __ldcg(&r.counts[copy * r.k + c]);
    double shift2 = 0, length2 = 0, left2 = 0;
    for (int j = lane; j < r.d; j += 32) {
      const std::int64_t at = std::int64_t(c) * r.d + j;
      const T before = from[at];
      Bits coarse = 0, fine = 0;
      for (int copy = 0; copy < r.copies && count > 0; ++copy)
        coarse += __ldcg(&r.coarse[copy * cells + at]), fine += __ldcg(&r.fine[copy * cells + at]);
      const T value = count > 0 ? static_cast<T>(r.fixed_point.value(coarse, fine) / count) : before;
      to[at] = value;
      r.cell(c, j) = value;
      const double x = (double(value) - r.centre[j]) * r.scale, shift = (double(value) - double(before)) * r.scale;
      const screen::Halves halves(x);
      const std::int64_t lane_at = (std::int64_t(c / 8) * r.deep + j / 32) * 32 + c % 8 * 4 + j % 32 / 8;
      reinterpret_cast<__half*>(r.image)[lane_at * 8 + j % 8] = halves.high;
      shift2 += shift * shift, length2 += x * x, left2 += halves.left * halves.left;
    }
    cuda::sum_over_warp(shift2, length2, left2);
    if (r.reach != nullptr && lane < levels) r.reach[std::int64_t(c) * levels + lane] = cuda::infinity<float>;
    if (lane > 0) continue;
    r.twin_before[c] = r.twin[c], r.twin[c] = no_twin, r.freed[c] = 0;
    r.shifts[c] = __double2float_ru(sqrt(shift2) * (1 + 0x1p-30) * r.shift_scale);
    cuda::raise(&r.tops[slot], r.shifts[c]);
    r.starts[c] = static_cast<float>(-length2 / 2);
    cuda::raise(&r.lengths[slot].centroid2, static_cast<float>(length2) * 1.000001f);
    cuda::raise(&r.lengths[slot].left2, static_cast<float>(left2) * 1.000001f);
  }
}

/// Writes, per level, a lower bound of the distance from each centroid to the nearest other that moved by more than that level's slow shift.
/// Also finds twins, which lose every tie and are left out; bounds ignore them. When a twin parts from its equal, that one's points must be checked
/// again; for all other points its distance was its equal's. A warp takes a centroid and 32 others at a time. reach: initially infinite; twin:
/// initially none.
template <class T>
__device__ __forceinline__ void find_reach(const Run<T>& r, const T* centroids, float top) {
  const int lane = threadIdx.x % 32, bands = r.k_padded / 32;
  const OfDifferences<T> bounds(r.d, r.scale);
  for (std::int64_t job = warp_of_grid(); job < std::int64_t(r.k) * bands; job += std::int64_t(gridDim.x) * warps) {
    const int a = static_cast<int>(job / bands), c = static_cast<int>(job % bands) * 32 + lane;
    const float shift = c < r.k && c != a ? r.shifts[c] : 0;
    if (job % bands == 0 && lane == 0)
      if (const int twin = r.twin_before[a]; twin != no_twin && (r.shifts[a] > 0 || r.shifts[twin] > 0)) r.freed[twin] = 1;
    const T* const row = centroids + std::int64_t(a) * r.d;
    T dist = 0;
#pragma unroll 4
    for (int j = 0; j < r.d; ++j) {
      const T diff = row[j] - r.cell(c, j);
      dist += diff * diff;
    }
    bool same = c < a && dist == 0;
    for (int j = 0; same && j < r.d; ++j) same = row[j] == r.cell(c, j);
    const unsigned same_here = __ballot_sync(0xFFFFFFFF, same);
    if (same && lane == __ffs(same_here) - 1) {
      atomicMin(&r.twin[a], c);
      r.starts[a] = -cuda::infinity<float>;
    }
    // Non-negative floats order as their bits.
    const unsigned away = __float_as_uint(bounds.below(dist)), none = __float_as_uint(cuda::infinity<float>);
    unsigned mine = none;
#pragma unroll
    for (int level = 0; level < levels; ++level) {
      const unsigned least = __reduce_min_sync(0xFFFFFFFF, shift > slow(top, level) ? away : none);
      if (lane == level) mine = least;
    }
    if (mine != none) atomicMin(reinterpret_cast<unsigned*>(r.reach) + std::int64_t(a) * levels + lane, mine);
  }
}

}  // namespace km::compacted

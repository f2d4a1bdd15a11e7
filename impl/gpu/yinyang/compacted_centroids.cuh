// Updates sums by moved points, makes centroids in all forms that the next assign reads, and measures the distances between them.
#pragma once

#include "impl/gpu/yinyang/compacted_state.cuh"

namespace km::compacted {

/// Moves points with all their copies between the sums of clusters, by integer additions. Lanes share a row; several warps share one of many dimensions
/// where rows are few.
template <class T>
__device__ __forceinline__ void move_rows(const Run<T>& r, const SharedState<T>& s) {
  constexpr int values = 4;  // per thread in flight
  int lanes = lanes_of(r.d);
  while (lanes * values < r.d && 2 * lanes * max(s.moves, 1) <= block) lanes *= 2;
  const int rows = by_power(block, lanes), mine = by_power(threadIdx.x, lanes), lane = threadIdx.x & (lanes - 1);
  const int copy = blockIdx.x - quotient(blockIdx.x, r.copies) * r.copies;
  const std::int64_t cells = std::int64_t(r.k) * r.d;
  Bits *const all_coarse = r.coarse + copy * cells, *const all_fine = r.fine + copy * cells;
  for (int row = mine; row < s.moves && mine < rows; row += rows) {
    const MovedRow moved = s.moved[row];
    const T* const x = r.points + std::int64_t(moved.i) * r.d;
    const int copies = r.numbers ? r.numbers[moved.i] : 1;
    const std::int64_t to = std::int64_t(moved.to) * r.d, from = std::int64_t(moved.from) * r.d;
    for (int j0 = lane; j0 < r.d; j0 += values * lanes) {
      T value[values];
#pragma unroll
      for (int u = 0; u < values; ++u) value[u] = j0 + u * lanes < r.d ? x[j0 + u * lanes] : T(0);
#pragma unroll
      for (int u = 0; u < values; ++u) {
        const int j = j0 + u * lanes;
        long long coarse, fine;
        r.fixed_point.split(double(value[u]), min(j, r.d - 1), coarse, fine);
        coarse *= copies, fine *= copies;
        if (coarse != 0) atomicAdd(&all_coarse[to + j], Bits(coarse));
        if (fine != 0) atomicAdd(&all_fine[to + j], Bits(fine));
        if (moved.from < 0) continue;
        if (coarse != 0) atomicAdd(&all_coarse[from + j], Bits(-coarse));
        if (fine != 0) atomicAdd(&all_fine[from + j], Bits(-fine));
      }
    }
    if (lane > 0) continue;
    atomicAdd(&r.counts[copy * r.k + moved.to], copies);
    if (moved.from >= 0) atomicAdd(&r.counts[copy * r.k + moved.from], -copies);
  }
}

/// Numbers warps so that the first ones are on different multiprocessors.
__device__ __forceinline__ int warp_of_grid() { return threadIdx.x / 32 * gridDim.x + blockIdx.x; }

/// A team of warps per cluster, which share its dimensions: computes the mean, its shift and both forms for the next assign. given: no sums yet.
template <class T>
__device__ __forceinline__ void make_centroids(const Run<T>& r, SharedState<T>& s, bool given, const T* from, T* to, int slot) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int team = quotient(warp, r.mean_warps), part = warp - team * r.mean_warps, teams = quotient(warps, r.mean_warps);
  const std::int64_t cells = std::int64_t(r.k) * r.d;
  for (int first = 0; first < r.k; first += teams * gridDim.x) {
    const int c = first + team * gridDim.x + blockIdx.x;  // the first ones on different multiprocessors
    double shift2 = 0, length2 = 0, left2 = 0;
    int twin = no_twin;
    if (c < r.k) {
      // All loads come before the first store, behind which none may move: one trip to L2. Three values on all warps are 1152 dimensions.
      constexpr int values = 3;  // per thread in flight
      twin = r.twin[c];
      for (int j0 = part * 32 + lane; j0 < r.d; j0 += values * r.mean_warps * 32) {
        const auto dimension = [&](int u) { return j0 + u * r.mean_warps * 32; };
        int count = 0;
        Bits coarse[values] = {}, fine[values] = {};
        T before[values], value[values];
        double centre[values];
#pragma unroll
        for (int u = 0; u < values; ++u) {
          const int j = min(dimension(u), r.d - 1);
          before[u] = from[std::int64_t(c) * r.d + j], centre[u] = r.centre[j];
        }
#pragma unroll 1
        for (int copy = 0; copy < r.copies && !given; ++copy) {
          count += __ldcg(&r.counts[copy * r.k + c]);
#pragma unroll
          for (int u = 0; u < values; ++u) {
            const std::int64_t cell = copy * cells + std::int64_t(c) * r.d + min(dimension(u), r.d - 1);
            coarse[u] += __ldcg(&r.coarse[cell]), fine[u] += __ldcg(&r.fine[cell]);
          }
        }
#pragma unroll
        for (int u = 0; u < values; ++u)
          value[u] = count > 0 ? static_cast<T>(r.fixed_point.value(coarse[u], fine[u], min(dimension(u), r.d - 1)) / count) : before[u];
#pragma unroll
        for (int u = 0; u < values; ++u) {
          const int j = dimension(u);
          if (j >= r.d) break;
          to[std::int64_t(c) * r.d + j] = value[u];
          r.cell(c, j) = value[u];
          const double x = (double(value[u]) - centre[u]) * r.scale, shift = (double(value[u]) - double(before[u])) * r.scale;
          const screen::Halves halves(x);
          const std::int64_t lane_at = (std::int64_t(c / 8) * r.deep + j / 32) * 32 + c % 8 * 4 + j % 32 / 8;
          reinterpret_cast<__half*>(r.image)[lane_at * 8 + j % 8] = halves.high;
          shift2 += shift * shift, length2 += x * x, left2 += halves.left * halves.left;
        }
      }
      cuda::sum_over_warp(shift2, length2, left2);
    }
    if (r.mean_warps > 1) {
      if (lane == 0) s.squares[warp][0] = shift2, s.squares[warp][1] = length2, s.squares[warp][2] = left2;
      __syncthreads();
      for (int other = warp + 1; part == 0 && other < warp + r.mean_warps; ++other)
        shift2 += s.squares[other][0], length2 += s.squares[other][1], left2 += s.squares[other][2];
      __syncthreads();
    }
    if (c >= r.k || part > 0) continue;
    if (r.reach != nullptr && lane < levels) r.reach[std::int64_t(c) * levels + lane] = cuda::infinity<float>;
    if (lane > 0) continue;
    r.twin_before[c] = twin, r.twin[c] = no_twin, r.freed[c] = 0;
    const float shift = __double2float_ru(sqrt(shift2) * (1 + 0x1p-30) * r.shift_scale);
    r.shifts[c] = shift;
    cuda::raise(&r.tops[slot], shift);
    r.starts[c] = static_cast<float>(-length2 / 2);
    cuda::raise(&r.lengths[slot].centroid2, static_cast<float>(length2) * 1.000001f);
    cuda::raise(&r.lengths[slot].left2, static_cast<float>(left2) * 1.000001f);
  }
}

/// Writes, per level, a lower bound of the distance from each centroid to the nearest other that moved by more than that level's slow shift.
/// Also finds twins, which lose every tie and are left out; bounds ignore them. When a twin parts from its equal, that one's points must be checked
/// again; for all other points its distance was its equal's. A team of warps takes a centroid and 32 others at a time, and shares the dimensions.
/// reach: initially infinite; twin: initially none.
template <class T>
__device__ __forceinline__ void find_reach(const Run<T>& r, SharedState<T>& s, const T* centroids, float top, Tally& tally) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, bands = r.k_padded / 32, parts = r.reach_warps;
  const int team = quotient(warp, parts), part = warp - team * parts, teams = quotient(warps, parts), share = quotient(r.d + parts - 1, parts);
  const int begin = min(part * share, r.d), end = min(begin + share, r.d);
  const OfDifferences<T> bounds(r.d, r.scale);
  const unsigned jobs = unsigned(r.k) * bands;
  if (blockIdx.x == 0 && threadIdx.x == 0) tally.reached = 1;
  for (unsigned first = 0; first < jobs; first += gridDim.x * teams) {
    const unsigned job = first + team * gridDim.x + blockIdx.x;
    const bool here = job < jobs;
    const int a = here ? static_cast<int>(job / bands) : 0, c = static_cast<int>(job % bands) * 32 + lane;
    const T* const row = centroids + std::int64_t(a) * r.d;
    T dist = 0;
#pragma unroll 16
    for (int j = begin; j < end; ++j) {
      const T diff = row[j] - r.cell(c, j);
      dist += diff * diff;
    }
    if (parts > 1) {
      s.parts[warp][lane] = dist;
      __syncthreads();
      for (int other = warp + 1; part == 0 && other < warp + parts; ++other) dist += s.parts[other][lane];
      __syncthreads();
    }
    if (!here || part > 0) continue;
    if (job % bands == 0 && lane == 0)
      if (const int twin = r.twin_before[a]; twin != no_twin && (r.shifts[a] > 0 || r.shifts[twin] > 0)) r.freed[twin] = 1;
    bool same = c < a && dist == 0;
    for (int j = 0; same && j < r.d; ++j) same = row[j] == r.cell(c, j);
    const unsigned same_here = __ballot_sync(0xFFFFFFFF, same);
    if (same && lane == __ffs(same_here) - 1) {
      atomicMin(&r.twin[a], c);
      atomicAdd(&tally.twins, Bits(1));
      r.starts[a] = -cuda::infinity<float>;
    }
    // Non-negative floats order as their bits.
    const float shift = c < r.k && c != a ? r.shifts[c] : 0;
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

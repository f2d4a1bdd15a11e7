// The kernel of compacted.cuh: a run from the initial centroids to the labels.
#pragma once

#include "impl/gpu/whole_run.cuh"
#include "impl/gpu/yinyang/compacted_centroids.cuh"
#include "impl/gpu/yinyang/compacted_scores.cuh"
#include "impl/gpu/yinyang/compacted_settle.cuh"

namespace km::compacted {

/// Sets labels and bounds of listed points and moves them between sums. m: at most a batch, or most_rows with few dimensions.
template <class T>
__device__ __forceinline__ void assign_batch(const Run<T>& r, SharedState<T>& s, T* x, const T* centroids, const screen::Margin<1>& margin,
                                             bool products, const int* rows, int m) {
  const int t = threadIdx.x, warp = t / 32;
  if (t == 0) s.moves = s.moved_points = s.opens = s.unknown_size = s.many = 0;
  __syncthreads();
  if (products) {
    const int tiles = (m + warp_rows - 1) / warp_rows, across = quotient(warps, tiles), strip = quotient(warp, tiles), tile = warp - strip * tiles;
    if (strip < across) {
      switch (r.deep) {
        case 1: score<1>(r, s, rows, m, tile, strip, across); break;
        case 2: score<2>(r, s, rows, m, tile, strip, across); break;
        case 3: score<3>(r, s, rows, m, tile, strip, across); break;
        case 4: score<4>(r, s, rows, m, tile, strip, across); break;
        default: score<0>(r, s, rows, m, tile, strip, across);
      }
    }
    __syncthreads();
    decide(r, s, margin, rows, m, across * 4);
    __syncthreads();
    compare(r, s, centroids, margin, rows, across * 4);
    if (s.opens > 0) __syncthreads();
  }
  const int by_differences = products ? s.unknown_size : m;
  int doubted = 0;
  if (by_differences > 0) {
    const int* const them = products ? s.unknown : rows;
    const auto by_threads = [&]<int D>() {
      return m > block ? settle_few<D, 2>(r, s, centroids, them, m) : settle_few<D, 1>(r, s, centroids, them, m);
    };
    switch (few_padded(r.d)) {
      case 4: doubted = by_threads.template operator()<4>(); break;
      case 8: doubted = by_threads.template operator()<8>(); break;
      case 16: doubted = by_threads.template operator()<16>(); break;
      default:
        if (by_differences <= together) doubted = settle<1>(r, s, x, centroids, them, by_differences);
        else doubted = settle<together>(r, s, x, centroids, them, by_differences);
    }
  }
  __syncthreads();
  move_rows(r, s);
  if (t == 0) {
    s.tally.past_bound += m, s.tally.changed += r.numbers ? s.moved_points : s.moves, s.tally.open += s.opens;
    s.tally.by_differences += products ? s.many : m, s.tally.in_doubt += doubted;
  }
  __syncthreads();
}

/// A thread's points whose bounds it reads at once, of slices of 32 points that are dealt to the blocks in turn, for balance.
struct Ahead {
  std::int32_t label[ahead];
  float upper[ahead], lower[ahead];
};
__device__ __forceinline__ std::int64_t slices_at_once() { return std::int64_t(gridDim.x) * warps; }
/// A slice is 8 neighbours from each quarter of the points: neighbours in a file are often past their bounds together.
__device__ __forceinline__ std::int64_t point_of(std::int64_t n, std::int64_t first, int u) {
  const std::int64_t slice = first + u * slices_at_once() + warp_of_grid(), slices = (n + 31) / 32;
  return slice < slices ? (threadIdx.x % 32 / 8 * slices + slice) * 8 + threadIdx.x % 8 : n;
}

template <class T>
__device__ __forceinline__ Ahead read_bounds(const Run<T>& r, std::int64_t first) {
  Ahead out;
#pragma unroll
  for (int u = 0; u < ahead; ++u) {
    const std::int64_t i = point_of(r.n, first, u);
    out.label[u] = i < r.n ? r.labels[i] : 0;
    out.upper[u] = i < r.n ? r.upper[i] : 0, out.lower[u] = i < r.n ? r.lower[i] : 1;
  }
  return out;
}

/// Loosens bounds by the shifts and lists the points past them.
template <class T>
__device__ __forceinline__ void list_past(const Run<T>& r, SharedState<T>& s, std::int64_t first, const Ahead& of, float top, bool reaching) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int u = 0; u < ahead; ++u) {
    const std::int64_t i = point_of(r.n, first, u);
    bool past = i < r.n, saved = false;
    if (past && of.label[u] >= 0) {
      const float up = __fadd_ru(of.upper[u], r.shifts[of.label[u]]);
      float down = __fsub_rd(of.lower[u], top);
      saved = !(up < down);
      if (reaching) {
        const auto* const reach = reinterpret_cast<const float4*>(r.reach + std::int64_t(of.label[u]) * levels);
        const float4 near = reach[0], far = reach[1];
        const float fast[levels] = {near.x, near.y, near.z, near.w, far.x, far.y, far.z, far.w};
#pragma unroll
        for (int level = 0; level < levels; ++level) down = fmaxf(down, fminf(__fsub_rd(of.lower[u], slow(top, level)), __fsub_rd(fast[level], up)));
      }
      past = !(up < down) || (reaching && r.freed[of.label[u]]);
      saved = saved && !past;
      if (!past && up != of.upper[u]) r.upper[i] = up;
      if (!past && down != of.lower[u]) r.lower[i] = down;
    }
    const unsigned all = __ballot_sync(0xFFFFFFFF, past), kept = __ballot_sync(0xFFFFFFFF, saved);
    int at = 0;
    if (lane == 0 && kept) atomicAdd(&s.tally.saved, Bits(__popc(kept)));
    if (lane == 0 && all) at = atomicAdd(&s.size, __popc(all));
    at = __shfl_sync(0xFFFFFFFF, at, 0) + __popc(all & ((1u << lane) - 1));
    if (past) s.list[at] = static_cast<int>(i);
  }
}

/// Adds a block's counts to an iteration's and clears them.
__device__ __forceinline__ void give(Tally& all, Tally& tally) {
  if (tally.past_bound > 0) {
    atomicAdd(&all.changed, tally.changed), atomicAdd(&all.past_bound, tally.past_bound), atomicAdd(&all.open, tally.open);
    atomicAdd(&all.by_differences, tally.by_differences), atomicAdd(&all.in_doubt, tally.in_doubt);
  }
  if (tally.saved > 0) atomicAdd(&all.saved, tally.saved);
  tally = {};
}

/// Whether an iteration makes the levels to see whether they pay: the first few and every 32nd.
__device__ __forceinline__ bool tries_reach(int iter) { return iter % 32 == 0 || (iter & (iter - 1)) == 0; }

template <class T>
__global__ void __launch_bounds__(block, 1) iterate_all(const __grid_constant__ Run<T> r) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto& s = *reinterpret_cast<SharedState<T>*>(shared);
  T* const x = reinterpret_cast<T*>(shared + (sizeof(SharedState<T>) + 15) / 16 * 16);
  const int t = threadIdx.x;
  const std::int64_t slices = (r.n + 31) / 32;
  bool products = r.products, reaching = r.reach != nullptr;
  Bits* meeting = r.meetings;
  const auto meet = [&] {
    __syncthreads();
    if (t == 0) cuda::meet(meeting++);
    __syncthreads();
  };

  if (t == 0) s.size = 0, s.tally = {};
  if (blockIdx.x == 0 && t == 0) r.ended[0] = cuda::nanoseconds();
  make_centroids(r, s, true, r.initial, r.centroids[0], 1);
  Ahead next = read_bounds(r, 0);
  meet();

  for (int iter = 1;; ++iter) {
    const T* const centroids = r.centroids[(iter - 1) % 2];
    const screen::Lengths lengths = r.lengths[iter % 2];
    const float top = r.tops[iter % 2];
    if (reaching) {
      find_reach(r, s, centroids, top, r.tallies[iter]);
      meet();
    }
    if (blockIdx.x == 0 && t == 0) r.lengths[(iter + 1) % 2] = {0, 0}, r.tops[(iter + 1) % 2] = 0;

    const int enough = products || few_padded(r.d) == 0 ? batch : most_rows;
    for (std::int64_t first = 0; first < slices; first += ahead * slices_at_once()) {
      list_past(r, s, first, first > 0 ? read_bounds(r, first) : next, top, reaching);
      __syncthreads();
      const bool last = first + ahead * slices_at_once() >= slices;
      int size = s.size;
      while (size >= enough || (last && size > 0)) {
        const int m = min(size, enough);
        size -= m;
        assign_batch(r, s, x, centroids, screen::Margin<1>(lengths, r.deep * 32, 1, 0, 1), products, s.list + size, m);
      }
      __syncthreads();
      if (t == 0) s.size = size;
      __syncthreads();
    }
    Tally& all = r.tallies[iter];
    if (t == 0) give(all, s.tally);
    meet();

    // Through L1, which the meeting has cleared: else each warp of the grid would ask one line of L2.
    const Bits changed = all.changed, past_bound = all.past_bound, by_differences = all.by_differences, saved = all.saved, twins = all.twins;
    // If scores leave most of many points to differences, later iterations start with differences.
    products = products && 2 * by_differences <= max(past_bound, Bits(r.n / 4));
    reaching = r.reach != nullptr && (saved >= r.reach_worth || twins > 0 || tries_reach(iter + 1));
    make_centroids(r, s, false, centroids, r.centroids[iter % 2], (iter + 1) % 2);
    if (blockIdx.x == 0 && t == 0) r.ended[iter] = cuda::nanoseconds();
    if (iter == r.max_iters || static_cast<double>(changed) <= r.stop_at) {
      if (blockIdx.x == 0 && t == 0) *r.iters = iter;
      break;
    }
    next = read_bounds(r, 0);  // while blocks meet
    meet();
  }
}

}  // namespace km::compacted

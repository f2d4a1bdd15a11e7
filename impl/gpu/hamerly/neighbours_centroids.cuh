// After an iteration of impl/gpu/hamerly/neighbours.cu every block makes all centroids of clusters with moves, then everything that bounds need.
#pragma once

#include "impl/gpu/hamerly/neighbours_state.cuh"

namespace km::neighbours {

/// Adds an iteration's changes to the block's sums and makes the next centroids. Writes the last ones and those before.
template <class T, int D>
__device__ __forceinline__ void make_centroids(const Block<T, D>& b, int iter, bool last) {
  const Run<T>& r = b.r;
  const int k = r.k, cells = b.cells();
  const T* const from = b.rows_of(iter - 1);
  T* const to = b.rows_of(iter);
  const Bits *const coarse = b.change(iter), *const fine = coarse + r.copies * cells, *const words = fine + r.copies * cells;
  // Changes are read through L1, which the meeting has cleared: else each warp of the grid would ask the same lines of L2.
  const bool any_fine = sizeof(T) == 8 || words[r.copies * k] > 0;
  for (int c = threadIdx.x; c < k; c += blockDim.x) b.freed[c] = 0;
  constexpr int batch = 2;  // cells of a thread whose changes it reads at once
  for (int first = threadIdx.x; first < cells; first += batch * blockDim.x) {
    Bits word[batch] = {}, of_coarse[batch] = {}, of_fine[batch] = {};
    for (int copy = 0; copy < r.copies; ++copy)
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        const int cell = min(first + u * int(blockDim.x), cells - 1);
        word[u] += words[copy * k + cell / D];
        of_coarse[u] += coarse[copy * cells + cell];
        if constexpr (sizeof(T) == 8) of_fine[u] += fine[copy * cells + cell];
      }
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      const int cell = first + u * blockDim.x, c = cell / D, j = cell % D;
      if (cell >= cells) break;
      if (j == 0) b.joined[c] = joined_of(word[u]);
      const T before = from[c * b.pitch + j];
      T now = before;
      if (word[u] != 0) {
        if (sizeof(T) == 4 && any_fine)
          for (int copy = 0; copy < r.copies; ++copy) of_fine[u] += fine[copy * cells + cell];
        of_coarse[u] = b.coarse[cell] += of_coarse[u], of_fine[u] = b.fine[cell] += of_fine[u];
        const int count = b.count[c] + joined_of(word[u]);
        if (count > 0) now = static_cast<T>(r.fixed_point.value(of_coarse[u], of_fine[u], j) / double(count));  // an empty cluster keeps its centroid
      }
      to[c * b.pitch + j] = now;
      if (last && blockIdx.x == 0 && j < r.d) r.assigned[c * r.d + j] = before, r.next[c * r.d + j] = now;
    }
  }
}

/// Shifts; twins that part; the bits of centroids whose distances to the others are out of date. anew: all are.
template <class T, int D>
__device__ __forceinline__ void find_shifts(const Block<T, D>& b, int iter, bool anew) {
  const Run<T>& r = b.r;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, k = r.k;
  const T *const from = b.rows_of(iter - 1), *const to = b.rows_of(iter);
  const auto differs = [&](int c) {
    bool any = false;
#pragma unroll 4
    for (int j = 0; j < D; ++j) any |= from[c * b.pitch + j] != to[c * b.pitch + j];
    return any;
  };
  for (int group = warp; group < b.groups; group += b.warps) {
    const int c = group * 32 + lane;
    float shift = 0;
    bool renew = false;
    if (c < k) {
      b.count[c] += b.joined[c];
      T dist = 0;
#pragma unroll 4
      for (int j = 0; j < D; ++j) {
        const T diff = to[c * b.pitch + j] - from[c * b.pitch + j];
        dist += diff * diff;
      }
      const bool moved = differs(c);
      if (moved) shift = __fmul_ru(above(dist, r.widening), r.shift_scale);
      const int twin = b.twin[c];
      const bool parted = twin != no_twin && (moved || differs(twin));
      if (parted) b.freed[twin] = 1;
      renew = anew || moved || parted;
      if (renew) b.twin[c] = no_twin;
#pragma unroll
      for (int level = 0; level <= levels; ++level) b.nearest[level * k + c] = no_distance;
    }
    b.shift[c] = shift;
    const unsigned bits = __ballot_sync(all, renew);
    if (lane == 0) b.renewed[group] = bits;
  }
}

/// Warps share `units` of work, several warps each: f(unit, part, log) for 2^log parts, up to 16.
template <class F>
__device__ __forceinline__ void with_parts(int units, int warps, F&& f) {
  int log = 0;
  while (log < 4 && units << (log + 1) <= warps) ++log;
  for (int at = threadIdx.x / 32; at < units << log; at += warps) f(at >> log, at & ((1 << log) - 1), log);
}
/// The bits of every 2^log-th of 32.
__device__ __forceinline__ unsigned every(int part, int log) {
  return (log == 0 ? all : log == 1 ? 0x55555555 : log == 2 ? 0x11111111 : log == 3 ? 0x01010101 : 0x00010001) << part;
}

/// Makes the out-of-date distances between centroids, and finds twins. A lane takes a centroid against the renewed ones. If those are many,
/// centroids stand in a circle and it takes the half that follows its own, so that each pair is compared once. In many dimensions that gains nothing.
template <class T, int D>
__device__ __forceinline__ void part_centroids(const Block<T, D>& b, int iter, int& any_twin) {
  const Run<T>& r = b.r;
  const int lane = threadIdx.x % 32, k = r.k;
  const T* const rows = b.rows_of(iter);
  int renewed = 0;
#pragma unroll 1
  for (int word = 0; word < b.groups; ++word) renewed += __popc(b.renewed[word]);
  with_parts(b.groups, b.warps, [&](int group, int part, int log) {
    const int a = min(group * 32 + lane, k - 1);
    T x[1][D];
#pragma unroll
    for (int j = 0; j < D; ++j) x[0][j] = rows[a * b.pitch + j];
    const auto compare = [&](int c) {
      const T dist = distance(x, rows + c * b.pitch);
      if (a == c) return;
      const auto value = static_cast<std::uint16_t>(0x8000 | cut(dist, r.widening));
      b.apart_at(a, c) = value, b.apart_at(c, a) = value;
      if (dist != 0) return;
      bool same = true;
      for (int j = 0; j < D; ++j) same &= rows[a * b.pitch + j] == rows[c * b.pitch + j];
      if (same) atomicMin(&b.twin[max(a, c)], min(a, c)), any_twin = 1;
    };
    if (D * sizeof(T) <= 64 && 2 * renewed >= k) {
      for (int step = 1 + part; 2 * step <= k; step += 1 << log) compare(a + step < k ? a + step : a + step - k);
    } else {
      for (int word = 0; word < b.groups; ++word)
        for (unsigned bits = b.renewed[word] & every(part, log); bits;) {
          const int bit = highest(bits);
          compare(word * 32 + bit);
          bits ^= 1u << bit;
        }
    }
  });
}

/// The greatest shift, whose it is, and the greatest of the others.
struct TopShifts {
  float top, other;
  int at;
  __device__ TopShifts(const float* shift, int groups) {
    const int lane = threadIdx.x % 32;
    unsigned first = 0, second = 0;  // non-negative floats order as their bits
    int mine = lane;
    for (int group = 0; group < groups; ++group) {
      const unsigned value = __float_as_uint(shift[group * 32 + lane]);
      second = max(second, min(first, value));
      if (value > first) first = value, mine = group * 32 + lane;
    }
    const unsigned most = __reduce_max_sync(all, first);
    const int winner = __ffs(__ballot_sync(all, first == most)) - 1;
    at = __shfl_sync(all, mine, winner);
    top = __uint_as_float(most), other = __uint_as_float(__reduce_max_sync(all, lane == winner ? second : first));
  }
};

/// Per centroid and level, the least distance² to a faster one; at last to any other. A lane takes a centroid against the 32 of a word.
template <class T, int D>
__device__ __forceinline__ void find_nearest(const Block<T, D>& b, float top) {
  constexpr int together = 4;  // loads in flight
  const int lane = threadIdx.x % 32, k = b.r.k;
  with_parts(b.groups * b.groups, b.warps, [&](int unit, int part, int log) {
    const int word = quotient(unit, b.groups), a = (unit - word * b.groups) * 32 + lane, c = word * 32 + lane;
    const std::uint16_t* const row = &b.apart_at(min(a, k - 1), word * 32);
    const float shift = b.shift[c];
    const bool counts = c < k && b.twin[min(c, k - 1)] == no_twin;
    int level_of = levels;
#pragma unroll
    for (int level = levels - 1; level >= 0; --level)
      if (shift > slow(top, level)) level_of = level;
    unsigned least = no_distance;  // of this level and those before
#pragma unroll
    for (int level = 0; level <= levels; ++level) {
      unsigned bits = __ballot_sync(all, counts && level_of == level) & every(part, log);
      while (bits) {
        unsigned value[together];
#pragma unroll
        for (int u = 0; u < together; ++u) {  // the last bit counts again
          const int bit = highest(bits);
          const unsigned left = bits ^ 1u << bit;
          value[u] = row[bit];
          bits = u + 1 < together && left == 0 ? bits : left;
        }
#pragma unroll
        for (int u = 0; u < together; ++u) least = min(least, value[u]);
      }
      if (a < k && least != no_distance) atomicMin(&b.nearest[level * k + a], least);
    }
  });
}

/// All that the next assign reads beside the centroids. All threads call it, after make_centroids. Returns the greatest shift.
template <class T, int D>
__device__ __forceinline__ float make_bounds(const Block<T, D>& b, int iter, int& any_twin) {
  const int t = threadIdx.x, block = blockDim.x, k = b.r.k;
  if (iter == 1)
    for (int at = t; at < k * b.apart_pitch; at += block) b.apart[at] = no_distance << 16 | no_distance;
  __syncthreads();
  find_shifts(b, iter, iter == 1);
  __syncthreads();
  part_centroids(b, iter, any_twin);
  __syncthreads();
  if (any_twin) {
    for (int c = t / 32; c < k; c += b.warps)
      if (b.twin[c] != no_twin)
        for (int a = t % 32; a < k; a += 32) b.apart_at(a, c) = no_distance;
    __syncthreads();
  }
  const TopShifts shifts(b.shift, b.groups);
  find_nearest(b, shifts.top);
  __syncthreads();
  for (int c = t; c < k; c += block) {
    const float none = cuda::infinity<float>;
    const bool freed = b.freed[c] != 0;
    float far[levels + 1];
#pragma unroll
    for (int level = 0; level <= levels; ++level) far[level] = root_of_cut(b.nearest[level * k + c] & 0x7FFF);
    b.loosen[c] = make_float4(b.shift[c], __fmul_rd(0.5f, far[levels]), freed ? none : c == shifts.at ? shifts.other : shifts.top, 0);
    b.reach[c] = freed ? make_float4(-none, -none, -none, -none) : make_float4(far[0], far[1], far[2], far[3]);
  }
  __syncthreads();
  return shifts.top;
}

}  // namespace km::neighbours

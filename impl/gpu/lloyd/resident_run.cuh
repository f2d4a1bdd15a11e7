// The kernel of impl/gpu/lloyd/resident.cu: a run from the initial centroids to the labels.
#pragma once

#include <cooperative_groups.h>

#include "impl/gpu/lloyd/resident_sums.cuh"
#include "impl/gpu/lloyd/resident_tile.cuh"
#include "impl/gpu/whole_run.cuh"

namespace km::resident {

constexpr int own_threads = 512;  // per block, if threads keep sums

/// Threads per block: as many as have the registers.
template <class T, int D, int K>
constexpr int threads_of = K == 0 && D * sizeof(T) <= 16 ? 2 * own_threads : own_threads;

template <class T>
struct Run {
  const T* points;       // tiles x D x tile_points
  std::uint8_t* labels;  // tiles x tile_points, of uncached tiles
  std::int64_t n, tiles;
  int d, k, max_iters;
  double stop_at;  // stop at so few changed labels
  int tiles_a_block, cached, copies, width;
  T magic;  // 1.5 2^23 units, for own sums
  FixedPoint<T> fixed_point;
  const T* initial;
  Bits* changes;  // sums of all blocks per iteration, three, alternating: coarse and fine k x D each, counts k, labels changed; initially zero
  T *assigned, *next;
  std::int32_t* labels_out;
  int* iters;
  unsigned long long* ended;  // nanoseconds at the start and after each iteration
};

/// Layout of a block's shared memory, in this order. own: threads keep the sums.
template <class T, int D>
struct SharedLayout {
  int k, copies, cached;
  bool own;

  __host__ __device__ int cells() const { return k * D; }
  __host__ __device__ std::size_t table() const { return own ? 0 : Table::bytes_of(k, cells(), copies); }
  __host__ __device__ std::size_t totals() const { return own ? 0 : 3 * sizeof(Bits) * cells(); }  // of all points so far: coarse, fine, count
  __host__ __device__ std::size_t rows() const { return (sizeof(T) * (k + 2) * row_pitch<D> + 15) / 16 * 16; }
  __host__ __device__ std::size_t labelled_tile() const { return tile_points<T> * (D * sizeof(T) + 1); }
  __host__ __device__ std::size_t bytes() const { return cached * labelled_tile() + rows() + totals() + table(); }
};

/// Value `at` of the rows of the initial centroids; beyond k infinity, beyond d zero.
template <int D, class T>
__device__ __forceinline__ T first_row_value(const Run<T>& r, int at) {
  const int c = at / row_pitch<D>, j = at % row_pitch<D>;
  return c >= r.k ? cuda::infinity<T> : j < r.d ? r.initial[c * r.d + j] : T(0);
}

/// A warp copies a tile.
template <int D, class T>
__device__ __forceinline__ void copy_tile(const T* from, T* to) {
#pragma unroll
  for (int j = 0; j < D; ++j)
    reinterpret_cast<uint4*>(to)[j * 32 + threadIdx.x % 32] = reinterpret_cast<const uint4*>(from)[j * 32 + threadIdx.x % 32];
}

/// Adds a lane's moved points to a block's table. x: its first point in the tile; which: a bit for each that moved; fresh: it leaves no cluster.
template <int D, int Each, class T>
__device__ __forceinline__ void add_moved(const Table& table, const T* x, const int (&label)[Each], const std::uint8_t (&old)[Each], unsigned which,
                                          bool fresh, const FixedPoint<T>& q) {
  for (; which; which &= which - 1) {
    const int u = __ffs(which) - 1;
    int joins = label[0], leaves = old[0];
#pragma unroll
    for (int v = 1; v < Each; ++v)
      if (u == v) joins = label[v], leaves = old[v];
    table.add<D>(x + u, tile_points<T>, joins, 1, q);
    if (!fresh) table.add<D>(x + u, tile_points<T>, leaves, -1, q);
  }
}

__device__ __forceinline__ void give(Bits* to, long long value) {
  if (value != 0) atomicAdd(to, Bits(value));
}

/// Adds a block's sums, kept by threads, to those of all: coarse, fine, counts.
template <int D, int Warps, int K, class T>
__device__ __forceinline__ void add_warp_sums(const double (&warp_sums)[Warps][32], const int (&warp_counts)[Warps][K], int k, int cells,
                                              const FixedPoint<T>& q, Bits* change) {
  const int t = threadIdx.x;
  if (t < cells) {
    double sum = 0;
    for (int w = 0; w < Warps; ++w) sum += warp_sums[w][t];
    long long whole, rest;
    q.split(sum, t % D, whole, rest);
    give(change + t, whole), give(change + cells + t, rest);
  } else if (t >= 64 && t < 64 + k) {
    int sum = 0;
    for (int w = 0; w < Warps; ++w) sum += warp_counts[w][t - 64];
    give(change + 2 * cells + t - 64, sum);
  }
}

/// The same for sums in a block's table, which becomes zero.
__device__ __forceinline__ void add_table(const Table& table, int k, int warps, const int& any_fine, Bits* change) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, cells = table.cells;
  for (int at = warp; at < cells + k; at += warps) {
    const long long sum = at < cells ? table.take_coarse(at) : table.take(table.counts + (at - cells) * table.copies);
    if (lane == 0) give(change + (at < cells ? at : at + cells), sum);
  }
  for (int cell = warp; any_fine && cell < cells; cell += warps) {
    const long long sum = table.take(table.fine + cell * table.copies);
    if (lane == 0) give(change + cells + cell, sum);
  }
}

/// Makes means of all points' sums, which are the change itself if threads keep sums, else the totals plus the change. The last iteration writes the
/// centroids out. An empty cluster keeps its centroid.
template <int D, bool Own, class T>
__device__ __forceinline__ void update_centroids(const Run<T>& r, const Bits* change, int block, bool last, Bits* totals, T* rows) {
  const int cells = r.k * D;
  for (int cell = threadIdx.x; cell < cells; cell += block) {
    const int c = cell / D, j = cell % D;
    Bits of_coarse = change[cell], of_fine = change[cells + cell], count = change[2 * cells + c];  // through L1, which the barrier has cleared
    if constexpr (!Own) {
      of_coarse = totals[cell] += of_coarse;
      of_fine = totals[cells + cell] += of_fine;
      count = totals[2 * cells + cell] += count;
    }
    T& value = rows[c * row_pitch<D> + j];
    const bool out = last && blockIdx.x == 0 && j < r.d;
    if (out) r.assigned[c * r.d + j] = value;
    if (count > 0) value = static_cast<T>(r.fixed_point.value(of_coarse, of_fine, j) / double(count));
    if (out) r.next[c * r.d + j] = value;
  }
}

/// K: clusters whose sums threads keep, at least k; or 0.
template <class T, int D, int K>
__global__ void __launch_bounds__(threads_of<T, D, K>, 1) iterate_all(const __grid_constant__ Run<T> r) {
  constexpr int block = threads_of<T, D, K>, warps = block / 32;
  constexpr int size = tile_points<T>, each = lane_points<T>;
  constexpr bool own = K > 0;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ double warp_sums[own ? warps : 1][32];
  __shared__ int warp_counts[own ? warps : 1][own ? K : 1];
  __shared__ int moved_here, any_fine;
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, k = r.k, cells = k * D;
  const SharedLayout<T, D> layout{k, r.copies, r.cached, own};
  T* const cached = reinterpret_cast<T*>(shared);
  T* const rows = cached + r.cached * D * size;
  Bits* const totals = reinterpret_cast<Bits*>(reinterpret_cast<unsigned char*>(rows) + layout.rows());
  Bits* const fine = totals + layout.totals() / sizeof(Bits);
  auto* const limb = reinterpret_cast<unsigned*>(fine + cells * r.copies);
  auto* const counts = reinterpret_cast<int*>(limb + limbs * cells * r.copies);
  const Table table{limb, fine, counts, &any_fine, cells, r.copies, lane % r.copies, r.width};
  auto* const cached_labels = reinterpret_cast<std::uint8_t*>(totals) + layout.totals() + layout.table();

  const std::int64_t first_tile = std::int64_t(blockIdx.x) * r.tiles_a_block;
  const int tiles = static_cast<int>(max(min(r.tiles - first_tile, std::int64_t(r.tiles_a_block)), std::int64_t(0))),
            cached_here = min(r.cached, tiles);
  // Cached tiles are spread evenly among the others, so that reads overlap computation. A tile is cached if slot_of(tile + 1) differs.
  const unsigned share = cached_here < tiles ? (std::uint64_t(cached_here) << 32) / tiles : 0;
  const auto slot_of = [&](int tile) { return cached_here < tiles ? static_cast<int>(__umulhi(tile, share)) : tile; };
  for (int tile = warp; tile < tiles; tile += warps) {
    const int slot = slot_of(tile);
    if (slot_of(tile + 1) == slot) continue;
    copy_tile<D>(r.points + (first_tile + tile) * D * size, cached + slot * D * size);
  }
  for (std::size_t at = t; at < (layout.totals() + layout.table()) / 4; at += block) reinterpret_cast<unsigned*>(totals)[at] = 0;
  for (int at = t; at < (k + 2) * row_pitch<D>; at += block) rows[at] = first_row_value<D>(r, at);
  if (t == 0) moved_here = any_fine = 0;
  if (blockIdx.x == 0 && t == 0) r.ended[0] = cuda::nanoseconds();
  __syncthreads();

  const int index_bits = 32 - __clz((k - 1) | 1), mask = ~((1 << index_bits) - 1);  // mask: without the last index of a pair
  const float margin = 1 + ldexpf(1.0f, index_bits - 22) + (D + 4) * 0x1p-22f;
  const int change_size = 2 * cells + k + 1;
  Own<T, own ? D : 1, own ? K : 1> mine;
  for (int iter = 1;; ++iter) {
    const bool fresh = iter == 1;
    int moved = 0;
    for (int tile = warp; tile < tiles; tile += warps) {
      const int slot = slot_of(tile);
      const std::int64_t first = (first_tile + tile) * size;
      const int points = static_cast<int>(min(r.n - first, std::int64_t(size)));
      const auto label_from = [&](const T* from, std::uint8_t* labels) {
        moved += label_tile<D>(from, labels, points, fresh, rows, k, mask, margin,
                               [&](const T(&x)[each][D], const int(&label)[each], const std::uint8_t(&old)[each], unsigned which) {
                                 if constexpr (own) {
#pragma unroll
                                   for (int u = 0; u < each; ++u) {
                                     const bool moves = which >> u & 1;
                                     if (__any_sync(0xFFFFFFFF, moves))
                                       mine.move(x[u], moves ? label[u] : -1, moves && !fresh ? old[u] : -1, r.magic);
                                   }
                                 } else {
                                   add_moved<D>(table, from + lane * each, label, old, which, fresh, r.fixed_point);
                                 }
                               });
      };
      if (slot_of(tile + 1) > slot) label_from(cached + slot * D * size, cached_labels + slot * size);
      else label_from(r.points + first * D, r.labels + first);
    }
    moved = __reduce_add_sync(0xFFFFFFFF, moved);
    if (lane == 0 && moved > 0) atomicAdd(&moved_here, moved);
    if constexpr (own) warp_sums[warp][lane] = mine.over_warp(warp_counts[warp]);
    __syncthreads();

    Bits* const change = r.changes + iter % 3 * change_size;
    if constexpr (own) add_warp_sums<D>(warp_sums, warp_counts, k, cells, r.fixed_point, change);
    else if (moved_here > 0) add_table(table, k, warps, any_fine, change);
    if (t == 96) give(change + 2 * cells + k, moved_here);
    if (blockIdx.x == 0)  // nobody reads it since the last barrier or writes it before the next
      for (int at = t; at < change_size; at += block) r.changes[(iter + 1) % 3 * change_size + at] = 0;
    cooperative_groups::this_grid().sync();

    const bool last = iter == r.max_iters || static_cast<double>(change[2 * cells + k]) <= r.stop_at;
    if (t == 0) moved_here = any_fine = 0;
    update_centroids<D, own>(r, change, block, last, totals, rows);
    if (blockIdx.x == 0 && t == 0) r.ended[iter] = cuda::nanoseconds();
    if (last) {
      if (blockIdx.x == 0 && t == 0) *r.iters = iter;
      break;
    }
    __syncthreads();
  }

  for (int tile = warp; tile < tiles; tile += warps) {
    const int slot = slot_of(tile);
    const std::int64_t first = (first_tile + tile) * size;
    const std::uint8_t* const labels = slot_of(tile + 1) > slot ? cached_labels + slot * size : r.labels + first;
    for (int at = lane; at < size && first + at < r.n; at += 32) r.labels_out[first + at] = labels[at];
  }
}

}  // namespace km::resident

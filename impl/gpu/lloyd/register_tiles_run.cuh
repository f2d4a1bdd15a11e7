// The kernel of impl/gpu/lloyd/register_tiles.cu: a run from the initial centroids to the labels. In an iteration each block sweeps over its tiles
// (register_tiles_sweep.cuh), waits for the others, and makes all centroids itself from the changes that all blocks added up.
#pragma once

#include <cooperative_groups.h>

#include "impl/gpu/lloyd/register_tiles_sweep.cuh"
#include "impl/gpu/whole_run.cuh"

namespace km::register_tiles {

/// 64-bit values that blocks sum per iteration: words x cells, rests (cells), counts (k), then these.
enum { changed_at, opened_at, any_rest_at, counters };

/// Layout of a block's shared memory, in this order. Totals: whether it has totals.
template <class T, int D, int Group, bool Totals = true>
struct SharedLayout {
  int k, rows, warps, copies;

  __host__ __device__ int cells() const { return k * D; }
  __host__ __device__ std::size_t row_bytes() const { return (sizeof(T) * row_at<T, D, Group>(rows) + 15) / 16 * 16; }
  __host__ __device__ std::size_t total_bytes() const { return Totals ? sizeof(Bits) * (words<T> * cells() + k) : 0; }  // of all points so far
  __host__ __device__ std::size_t queue_bytes() const { return sizeof(uint2) * queue_size * warps; }
  __host__ __device__ std::size_t centroid_bytes() const { return sizeof(T) * cells(); }
  __host__ __device__ std::size_t table_bytes() const { return sizeof(unsigned) * copies * k * Table<T, D>::pitch; }
  __host__ __device__ std::size_t bytes() const { return row_bytes() + total_bytes() + queue_bytes() + centroid_bytes() + table_bytes(); }
};

/// Sets value j of row c from the centroids. A row beyond k is never the nearest.
template <int D, int Group, class T>
__device__ __forceinline__ void set_row(const Run<T>& r, const T* centroids, T* rows, int c, int j) {
  T& value = rows[row_at<T, D, Group>(c) + j];
  if constexpr (sizeof(T) == 4) value = c < r.k ? static_cast<float>(double(r.origin[j]) - double(centroids[c * D + j])) : 0.0f;
  else value = c < r.k ? centroids[c * D + j] : cuda::infinity<T>;
}

/// Sets the last value of each fp32 row, and each warp's greatest length.
template <int D, int Group>
__device__ __forceinline__ void measure_rows(const Run<float>& r, float* rows, float* longest_of) {
  const int t = threadIdx.x, block = blockDim.x;
  float longest = 0;
  for (int c = t; c < r.rows; c += block) {
    double length = 0;
#pragma unroll
    for (int j = 0; j < D; ++j) {
      const double value = rows[row_at<float, D, Group>(c) + j];
      length += value * value;
    }
    rows[row_at<float, D, Group>(c) + D] = c < r.k ? static_cast<float>(length / 2) : 3e38f;
    longest = fmaxf(longest, __double2float_ru(length));
  }
  longest = cuda::max_over_warp(longest);
  if (t % 32 == 0) longest_of[t / 32] = longest;
}
template <int, int>
__device__ __forceinline__ void measure_rows(const Run<double>&, double*, float*) {}

/// Adds a block's limbs and counts to those of all (words x cells, k) and clears them.
template <class T, int D>
__device__ __forceinline__ void add_table(const Run<T>& r, const Table<T, D>& table, Bits* change, Bits* change_count) {
  const int t = threadIdx.x, block = blockDim.x, k = r.k, cells = k * D;
  // Lanes that share a cell's copies: a power of two, so that all cells are summed at about the same time.
  int sharing = 1;
  while (sharing < r.copies && sharing * 2 * (words<T> * cells + k) <= block) sharing *= 2;
  const int sums = words<T> * cells + k, set = t / sharing, parts = r.copies / sharing;
  for (int base = 0; base < sums; base += block / sharing) {
    const int at = base + set;
    long long sum = 0;
    if (at < sums)
      for (int part = 0; part < parts; ++part) {
        const int copy = t % sharing + sharing * ((part + set) & (parts - 1));
        const bool value = at < words<T> * cells;
        const int cell = words<T> == 1 ? at : at % cells, c = value ? cell / D : at - words<T> * cells;
        unsigned* const row = table.row + (c * r.copies + copy) * table.pitch;
        if (value) {
          unsigned* const high = row + cell % D * limbs<T> + (words<T> == 1 ? 0 : at / cells * 2);
          sum += ((long long)(int(high[0])) << r.limb_format.width) + int(high[1]);
          high[0] = high[1] = 0;
        } else {
          sum += int(row[D * limbs<T>]);
          row[D * limbs<T>] = 0;
        }
      }
    for (int step = sharing / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, step);
    if (at >= sums || t % sharing != 0 || sum == 0) continue;
    if (at < words<T> * cells) table.add_sum(sum, change + at, at % cells, r.limb_format);
    else atomicAdd(change_count + (at - words<T> * cells), Bits(sum));
  }
}

/// Adds the change of an iteration (words x cells, rests, counts) to the totals and makes means. The last iteration writes the centroids out.
template <int D, int Group, class T, class Sums>
__device__ __forceinline__ void update_centroids(const Run<T>& r, const Sums& sums, bool new_rest, bool any_rest, bool last, Bits* totals,
                                                 Bits* rests, T* centroids, T* rows) {
  const int t = threadIdx.x, block = blockDim.x, k = r.k, cells = k * D;
  constexpr int parts = words<T>;
  for (int c = t; c < k; c += block) totals[parts * cells + c] += sums((parts + 1) * cells + c);
  __syncthreads();
  for (int cell = t; cell < cells; cell += block) {
    const int c = cell / D, j = cell % D;
    if (new_rest) rests[cell] += sums(parts * cells + cell);
#pragma unroll
    for (int w = 0; w < parts; ++w) totals[w * cells + cell] += sums(w * cells + cell);
    if (any_rest) r.limb_format.carry(totals[cell], rests[cell]);
    double sum = any_rest ? double((long long)(rests[cell])) * r.limb_format.rest[j] : 0.0;
#pragma unroll
    for (int w = parts - 1; w >= 0; --w) sum += double((long long)(totals[w * cells + cell])) * r.limb_format.unit[w][j];
    const long long count = totals[parts * cells + c];
    const bool out = last && blockIdx.x == 0 && j < r.d;
    if (out) r.assigned[c * r.d + j] = centroids[cell];
    if (count > 0) centroids[cell] = static_cast<T>(double(r.origin[j]) + sum / double(count));  // an empty cluster keeps its centroid
    if (out) r.next[c * r.d + j] = centroids[cell];
    set_row<D, Group>(r, centroids, rows, c, j);
  }
}

/// The barrier of a card's blocks. What they summed is in `change`.
struct GridBarrier {
  struct Sums {
    const Bits* change;
    int counted;
    /// All threads read the counters: through L1, which the barrier has cleared, else each warp of the grid would ask one line of L2. A block reads a
    /// cell once.
    __device__ __forceinline__ Bits operator()(int at) const { return at < counted ? __ldcg(change + at) : change[at]; }
  };
  /// Waits for all blocks. False if one did not arrive in time.
  __device__ __forceinline__ bool wait(int, const Bits*, int) const {
    cooperative_groups::this_grid().sync();
    return true;
  }
  /// What all summed in that iteration.
  __device__ __forceinline__ Sums sums(int, const Bits* change, int count) const { return {change, count - counters}; }
  __device__ __forceinline__ void end(int) const {}
};

/// A block's shared memory and its share of the tiles. The table of its sums is not in it: what a call may reach is no longer in registers.
template <class T, int D, int Group, bool Totals = true>
struct Block {
  const Run<T>& r;
  T* rows;
  Bits* totals;
  uint2* queue;  // of this warp
  T* centroids;
  int first_tile, tiles;

  __device__ __forceinline__ Block(const Run<T>& run, unsigned char* shared) : r(run), rows(reinterpret_cast<T*>(shared)) {
    const SharedLayout<T, D, Group, Totals> layout{r.k, r.rows, int(blockDim.x) / 32, r.copies};
    totals = reinterpret_cast<Bits*>(shared + layout.row_bytes());
    queue = reinterpret_cast<uint2*>(shared + layout.row_bytes() + layout.total_bytes()) + threadIdx.x / 32 * queue_size;
    centroids = reinterpret_cast<T*>(shared + layout.row_bytes() + layout.total_bytes() + layout.queue_bytes());
    first_tile = static_cast<int>(r.tiles * blockIdx.x / gridDim.x);
    tiles = static_cast<int>(r.tiles * (blockIdx.x + 1) / gridDim.x) - first_tile;
  }

  __device__ __forceinline__ Table<T, D> table(BlockCounts here) const {
    return {reinterpret_cast<unsigned*>(centroids + r.k * D), r.copies, int(threadIdx.x % 32) & (r.copies - 1), nullptr, &here.rest};
  }

  /// Takes up the centroids, k x d, and clears the table. All threads call it.
  __device__ __forceinline__ void begin(const T* given, const Table<T, D>& table, BlockCounts here) {
    const int t = threadIdx.x, block = blockDim.x, cells = r.k * D;
    for (int at = t; at < r.copies * r.k * table.pitch; at += block) table.row[at] = 0;
    for (int cell = t; cell < cells; cell += block) centroids[cell] = cell % D < r.d ? given[cell / D * r.d + cell % D] : T(0);
    if (t == 0) here.moved = here.opened = here.rest = 0;
    __syncthreads();
    for (int at = t; at < r.rows * D; at += block) set_row<D, Group>(r, centroids, rows, at / D, at % D);
    __syncthreads();
    measure_rows<D, Group>(r, rows, here.longest);
    __syncthreads();
  }

  /// Labels the points. change: sums and counts of those that moved, of which the table has the rests. All threads call it.
  template <int P, int Rows, class Label>
  __device__ __forceinline__ void label(const Table<T, D>& table, Bits* change, BlockCounts here, bool fresh, bool forward, bool labels_written) {
    const int warp = threadIdx.x / 32;
    float longest = 0;
    if constexpr (sizeof(T) == 4)
      for (int w = 0; w < blockDim.x / 32; ++w) longest = fmaxf(longest, here.longest[w]);
    const Margin margin(D, r.rows / Group, longest, r.margin_scale);
    if (threadIdx.x % 32 == 0) here.additions[warp] = 0;
    __syncwarp();
    sweep<Group, Rows, Label>(Queue<P, T, D>{r, table, queue, change, here, first_tile}, rows, centroids, margin, tiles, fresh, forward,
                              labels_written);
    __syncthreads();
    if (here.moved > 0) add_table(r, table, change, table.rest + r.k * D);
  }
};

/// The run of a block. Barrier: of all blocks that share the sums. P: points per lane. Group: rows per key. Rows: their number, or 0: any.
template <int D, int P, int Group, int Rows, class Label, class T, class Barrier>
__device__ __forceinline__ void iterate_block(const Run<T>& r, const Barrier& barrier) {
  constexpr int size = 32 * P;
  extern __shared__ __align__(16) unsigned char shared[];
  const BlockCounts here = counts_of_block();
  const int t = threadIdx.x, block = blockDim.x, k = r.k, cells = k * D;
  Block<T, D, Group> b(r, shared);
  Table<T, D> table = b.table(here);
  Bits* const rests = r.rests + std::int64_t(blockIdx.x) * cells;
  for (int at = t; at < words<T> * cells + k; at += block) b.totals[at] = 0;
  for (int cell = t; cell < cells; cell += block) rests[cell] = 0;
  if (blockIdx.x == 0 && t == 0) r.records[0] = {cuda::nanoseconds(), 0};
  b.begin(r.initial, table, here);

  const int turn = __ldcg(r.turn), counted = (words<T> + 1) * cells + k, change_size = counted + counters;
  bool any_rest = false, labels_written = false;
  for (int iter = 1;; ++iter) {
    Bits* const change = r.changes + (turn + iter) % 3 * change_size;
    table.rest = change + words<T> * cells;
    labels_written = iter == r.max_iters;
    b.template label<P, Rows, Label>(table, change, here, iter == 1, iter % 2 == 1, labels_written);
    if (t <= any_rest_at) {
      const int mine = t == changed_at ? here.moved : t == opened_at ? here.opened : here.rest;
      if (mine > 0) atomicAdd(change + counted + t, Bits(mine));
    }
    // Nobody reads it since the last barrier or writes it before the next.
    for (int at = blockIdx.x * block + t; at < change_size; at += gridDim.x * block) r.changes[(turn + iter + 1) % 3 * change_size + at] = 0;
    if (!barrier.wait(iter, change, change_size)) return;

    const auto sums = barrier.sums(iter, change, change_size);
    const bool last = iter == r.max_iters || static_cast<double>(sums(counted + changed_at)) <= r.stop_at;
    const bool new_rest = r.limb_format.below > 0 || sums(counted + any_rest_at) > 0;
    any_rest |= new_rest;
    if (t == 0) here.moved = here.opened = here.rest = 0;
    if (blockIdx.x == 0 && t == 0) r.records[iter] = {cuda::nanoseconds(), sums(counted + opened_at)};
    update_centroids<D, Group>(r, sums, new_rest, any_rest, last, b.totals, rests, b.centroids, b.rows);
    if (last) {
      if (blockIdx.x == 0 && t == 0) *r.iters = iter, *r.turn = (turn + iter) % 3, barrier.end(iter);
      break;
    }
    __syncthreads();
    measure_rows<D, Group>(r, b.rows, here.longest);
    __syncthreads();
  }

  if (labels_written) return;
  const auto* const tile_labels = static_cast<const Label*>(r.labels) + std::int64_t(b.first_tile) * size;
  std::int32_t* const out = r.labels_out + std::int64_t(b.first_tile) * size;
  for (int tile = t / 32; tile < b.tiles; tile += block / 32)
    for (int at = t % 32; at < size; at += 32) out[std::int64_t(tile) * size + at] = tile_labels[std::int64_t(tile) * size + at];
}

/// Threads: at most.
template <class T, int D, int P, int Group, int Rows, class Label, int Threads>
__global__ void __launch_bounds__(Threads, 1) iterate_all(const __grid_constant__ Run<T> r) {
  iterate_block<D, P, Group, Rows, Label>(r, GridBarrier{});
}

}  // namespace km::register_tiles

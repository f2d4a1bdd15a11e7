// A warp's sweep over tiles in impl/gpu/lloyd/register_tiles.cu: it reads the points of a tile, labels them, and queues those that moved for the sums.
#pragma once

#include "impl/gpu/lloyd/register_tiles_scores.cuh"
#include "impl/gpu/lloyd/register_tiles_sums.cuh"

namespace km::register_tiles {

constexpr int queue_size = 160;  // 31 waiting and 4 new ones per lane

/// End of an iteration.
struct IterationRecord {
  unsigned long long nanoseconds, opened;
};

template <class T>
struct Run {
  const T* points;  // tiles x D x points per tile, minus the origin
  void* labels;     // tiles x points per tile
  std::int64_t n, tiles;
  int d, k, rows, max_iters;
  int copies, additions;  // additions: of a warp to a copy before it flushes
  double stop_at;         // stop at so few changed labels
  float margin_scale;
  T origin[most_dimensions];
  LimbFormat<T> limb_format;
  const T* initial;
  Bits* changes;  // three, alternating; the first, after `turn`, is zero
  int* turn;
  Bits* rests;  // a block's totals, grid x cells
  T *assigned, *next;
  std::int32_t* labels_out;  // n, rounded up to whole tiles
  int* iters;
  IterationRecord* records;  // at the start and after each iteration
};

/// Place within its tile of a lane's point u.
template <class T>
__device__ __forceinline__ int place_of(int u) {
  return u / pack<T> * (32 * pack<T>)+threadIdx.x % 32 * pack<T> + u % pack<T>;
}

/// Reads a lane's points of a tile.
template <int P, int D, class T>
__device__ __forceinline__ void load_points(const T* tile, T (&x)[P][D]) {
  constexpr int each = pack<T>, packs = P / each;
  const auto* const from = reinterpret_cast<const int4*>(tile);
#pragma unroll
  for (int v = 0; v < packs; ++v)
#pragma unroll
    for (int j = 0; j < D; ++j) {
      const auto values = __ldg(from + (j * packs + v) * 32 + threadIdx.x % 32);
      const auto& value = reinterpret_cast<const cuda::Pack<T>&>(values);
#pragma unroll
      for (int e = 0; e < each; ++e) x[v * each + e][j] = value.at[e];
    }
}

/// What a block's threads count in an iteration. Variables of their own, not members: one that a call may change keeps no other from a register.
struct BlockCounts {
  int &moved, &opened, &rest;
  int* additions;  // by warp: to a copy of the table since its last flush
  float* longest;  // by warp: the greatest length of its rows
};
__device__ __forceinline__ BlockCounts counts_of_block() {
  __shared__ int moved, opened, rest, additions[32];
  __shared__ float longest[32];
  return {moved, opened, rest, additions, longest};
}

/// A warp's points that moved, until all lanes have one, and the table that they go to.
template <int P, class T, int D>
struct Queue {
  static constexpr int size = 32 * P;
  const Run<T>& r;
  const Table<T, D>& table;
  uint2* entries;
  Bits* change;
  BlockCounts here;
  int first_tile, waiting = 0;

  /// Counts additions, in shared memory: registers are scarce.
  __device__ __forceinline__ void added(int each_lane) {
    const int warp = threadIdx.x / 32, additions = here.additions[warp] + each_lane * (32 / r.copies);
    const bool full = additions > r.additions;
    __syncwarp();
    if (full) table.empty(r.k, r.limb_format, change);
    if (threadIdx.x % 32 == 0) here.additions[warp] = full ? 0 : additions;
    __syncwarp();
  }
  /// Adds the queue's end, one point per lane.
  __device__ __forceinline__ void drain(int count) {
    const int lane = threadIdx.x % 32;
    __syncwarp();
    if (lane < count) {
      const uint2 entry = entries[waiting - count + lane];
      const T* const x = r.points + (first_tile + std::int64_t(entry.x / size)) * (size * D) + entry.x % size;
      const int joins = entry.y & 0xFFFF, leaves = entry.y >> 16;
      T value[D];
#pragma unroll
      for (int j = 0; j < D; ++j) value[j] = x[j * size];
      if (table.template add<true>(value, joins, leaves, r.limb_format)) [[unlikely]]
        table.add_rest(x, size, joins, leaves, r.limb_format);
    }
    waiting -= count;
    if (lane == 0) atomicAdd(&here.moved, count);
    added(1);
  }
  /// All lanes call it. place: of the lane's point among the block's.
  __device__ __forceinline__ void put(unsigned place, int joins, int leaves) {
    const bool moves = joins != leaves;
    const unsigned movers = __ballot_sync(0xFFFFFFFF, moves);
    if (moves) entries[waiting + __popc(movers & ((1u << threadIdx.x % 32) - 1))] = make_uint2(place, unsigned(leaves) << 16 | joins);
    waiting += __popc(movers);
  }
  /// Adds a lane's points of a tile, at x, to the clusters that they join first. `from`: the tile; inside: points that exist.
  __device__ __forceinline__ void add_fresh(const T (&x)[P][D], const T* from, const int (&label)[P], int inside) {
    unsigned more = 0;
#pragma unroll
    for (int u = 0; u < P; ++u)
      if (place_of<T>(u) < inside && table.template add<false>(x[u], label[u], 0, r.limb_format)) more |= 1u << u;
    for (; more; more &= more - 1) {
      const int which = __ffs(more) - 1;
      int joins = label[0];
#pragma unroll
      for (int u = 1; u < P; ++u) joins = u == which ? label[u] : joins;
      table.add_rest(from + place_of<T>(which), size, joins, -1, r.limb_format);
    }
    added(P);
  }
};

/// Adjacent labels of a lane.
template <class T, class Label>
using Word = std::conditional_t<pack<T> * sizeof(Label) == 8, unsigned long long, unsigned>;

/// Writes a lane's labels of a tile where they differ from the old ones, in 32 bits too if labels_written, and queues the points that moved.
template <class Label, int P, class T, int D, int Packs>
__device__ __forceinline__ void write_labels(Queue<P, T, D>& queue, const int (&label)[P], const Word<T, Label> (&old)[Packs], int tile, bool fresh,
                                             bool labels_written) {
  const std::int64_t first = std::int64_t(tile) * queue.size;
  auto* const words = reinterpret_cast<Word<T, Label>*>(static_cast<Label*>(queue.r.labels) + first);
  constexpr int each = pack<T>, bits = 8 * sizeof(Label);
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int v = 0; v < Packs; ++v) {
    Word<T, Label> now = 0;
#pragma unroll
    for (int e = 0; e < each; ++e) now |= Word<T, Label>(label[v * each + e]) << (bits * e);
    const bool differs = fresh || now != old[v];
    if (differs) words[v * 32 + lane] = now;
    if (labels_written) {
      cuda::Values<std::int32_t, each> wide;
#pragma unroll
      for (int e = 0; e < each; ++e) wide.at[e] = label[v * each + e];
      reinterpret_cast<decltype(wide)*>(queue.r.labels_out + first)[v * 32 + lane] = wide;
    }
    if (fresh || !__any_sync(0xFFFFFFFF, differs)) continue;
#pragma unroll
    for (int e = 0; e < each; ++e)
      queue.put(unsigned(tile - queue.first_tile) * queue.size + place_of<T>(v * each + e), label[v * each + e],
                int(old[v] >> (bits * e)) & ((1 << bits) - 1));
    while (queue.waiting >= 32) queue.drain(32);
  }
}

/// One sweep over a block's tiles: labels all points and adds those that moved to the table. fresh: all of them join, none leaves. here: zero before.
template <int Group, int Rows, class Label, int P, class T, int D>
__device__ __forceinline__ void sweep(Queue<P, T, D> queue, const T* rows, const T* centroids, const Margin& margin, int tiles, bool fresh,
                                      bool forward, bool labels_written) {
  constexpr int each = pack<T>, packs = P / each, size = 32 * P;
  constexpr bool late = P * D > 64;  // registers are scarce: read old labels when needed
  static_assert(sizeof(Word<T, Label>) == each * sizeof(Label));
  const Run<T>& r = queue.r;
  const int t = threadIdx.x, lane = t % 32, warps = blockDim.x / 32, first_tile = queue.first_tile;
  auto* const tile_labels = static_cast<Label*>(r.labels);
  for (int step = t / 32; step < tiles; step += warps) {
    int tile = first_tile + (forward ? step : tiles - 1 - step);  // alternate directions: caches hold the end of the last sweep
    T x[P][D];
    Word<T, Label> old[packs] = {};
    const auto load_labels = [&] {
#pragma unroll
      for (int v = 0; v < packs; ++v) old[v] = reinterpret_cast<const Word<T, Label>*>(tile_labels + std::int64_t(tile) * size)[v * 32 + lane];
    };
    load_points(r.points + std::int64_t(tile) * (size * D), x);
    if (!late && !fresh) load_labels();
    int label[P];
    const unsigned open = nearest<Group, Rows>(x, rows, r.rows, margin, label);
    asm volatile("" : "+r"(tile));  // recompute rather than keep: registers are scarce
    const std::int64_t first = std::int64_t(tile) * size;
    const T* const from = r.points + first * D;
    if (late && !fresh) load_labels();
    if (__any_sync(0xFFFFFFFF, open)) {
      if (open) atomicAdd(&queue.here.opened, __popc(open));
      settle<D>(
          open, [&](int owner, int u) { return from + u / each * (32 * each) + owner * each + u % each; }, size, r.origin, centroids, r.k, label);
    }
    const int inside = static_cast<int>(min(r.n - first, std::int64_t(size)));
    if (tile == static_cast<int>(r.tiles) - 1)  // points beyond n keep label 0
#pragma unroll
      for (int u = 0; u < P; ++u)
        if (place_of<T>(u) >= inside) label[u] = 0;
    write_labels<Label>(queue, label, old, tile, fresh, labels_written);
    if (fresh) queue.add_fresh(x, from, label, inside);
  }
  if (queue.waiting > 0) queue.drain(queue.waiting);
  if (fresh && t == 0)
    queue.here.moved = static_cast<int>(max(min(r.n - std::int64_t(first_tile) * size, std::int64_t(tiles) * size), std::int64_t(0)));
}

}  // namespace km::register_tiles

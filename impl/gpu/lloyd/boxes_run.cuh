// The kernel of impl/gpu/lloyd/boxes.cu: a run from the initial centroids to the labels.
#pragma once

#include "impl/gpu/lloyd/boxes_assign.cuh"

namespace km::boxes {

/// Means of the sums so far, in every block. The last iteration writes the centroids out. An empty cluster keeps its centroid.
template <class T, int D>
__device__ __forceinline__ void update_centroids(const Block<T, D>& b, const Bits* changes, bool last) {
  const int cells = b.cells(), size = b.change_size();
  for (int at = threadIdx.x; at < size; at += blockDim.x) {
    Bits sum = b.totals[at];
    for (int copy = 0; copy < b.r.change_copies; ++copy) sum += __ldcg(changes + copy * size + at);
    b.totals[at] = sum;
  }
  __syncthreads();
  for (int cell = threadIdx.x; cell < cells; cell += blockDim.x) {
    const int c = cell / D, j = cell % D;
    const auto count = static_cast<long long>(b.totals[2 * cells + c]);
    double& value = b.rows[j * b.k + c];
    const bool out = last && blockIdx.x == 0;
    if (out) b.r.assigned[cell] = static_cast<T>(value);
    if (count > 0) value = double(static_cast<T>(b.r.fixed_point.value(b.totals[cell], b.totals[cells + cell], j) / double(count)));
    if (out) b.r.next[cell] = static_cast<T>(value);
  }
}

/// Every point's label, in the problem's order. All blocks call it. The block's shared memory, free by now, takes the owners of all tiles if they fit: places are
/// random, and L1 takes one line at a time. Owner: a byte if k is small.
template <class Owner, class T, int D>
__device__ __forceinline__ void write_labels(const Block<T, D>& b, unsigned char* shared) {
  constexpr auto in_doubt = static_cast<Owner>(-1);
  auto* const all_owners = reinterpret_cast<Owner*>(b.r.all_owners);
  const int t = threadIdx.x, block = blockDim.x;
  for (int at = t; at < b.groups_here * b.r.tiles_a_group; at += block)
    if (const std::int64_t tile = b.tile(at); tile < b.r.tiles) all_owners[tile] = static_cast<Owner>(b.owners[at]);
  __syncthreads();
  if (t == 0) cuda::meet(b.r.meetings);
  __syncthreads();
  if (b.r.owners_fit)
    for (int at = t; at * int(sizeof(int4)) < b.r.tiles * int(sizeof(Owner)); at += block)
      reinterpret_cast<int4*>(shared)[at] = __ldcg(reinterpret_cast<const int4*>(all_owners) + at);
  __syncthreads();
  const Owner* const owners = reinterpret_cast<const Owner*>(shared);
  const int shift = 31 - __clz(b.r.size);
  const auto label_at = [&](int place) -> int {
    const int tile = place >> shift;
    const Owner owner = b.r.owners_fit ? owners[tile] : __ldcg(all_owners + tile);
    return owner != in_doubt ? owner : __ldcg(b.r.labels + place);
  };
  const std::int64_t first = std::int64_t(blockIdx.x) * block + t, all_threads = std::int64_t(gridDim.x) * block, fours = b.r.n / 4;
#pragma unroll 2
  for (std::int64_t i = first; i < fours; i += all_threads) {
    const int4 place = reinterpret_cast<const int4*>(b.r.places)[i];
    reinterpret_cast<int4*>(b.r.labels_out)[i] = {label_at(place.x), label_at(place.y), label_at(place.z), label_at(place.w)};
  }
  if (const std::int64_t i = fours * 4 + first; i < b.r.n) b.r.labels_out[i] = label_at(b.r.places[i]);
}

/// Threads of a block: as many as the registers allow.
constexpr int threads_of(int d, int value_bytes) { return d * value_bytes <= 16 ? 1024 : 512; }

template <class T, int D>
__global__ void __launch_bounds__(threads_of(D, sizeof(T)), 1) iterate_all(const __grid_constant__ Run<T> r) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ int moved_here, next;
  __shared__ Bits moved;
  const int t = threadIdx.x, block = blockDim.x;
  const Block<T, D> b(r, shared);
  const int all_changes = r.change_copies * b.change_size();
  if (t == 0) moved_here = next = 0;
  if (blockIdx.x == 0 && t == 0) r.stamps[0].made = cuda::nanoseconds();
  __syncthreads();

  for (int iter = 1;; ++iter) {
    const int mine = __reduce_add_sync(all, assign(b, b.changes(iter) + int(blockIdx.x) % r.change_copies * b.change_size(), &next));
    if (t % 32 == 0 && mine > 0) atomicAdd(&moved_here, mine);
    // No block reads them after the last meeting, none adds to them before the next.
    for (int at = blockIdx.x * block + t; at < all_changes; at += gridDim.x * block) b.changes(iter + 1)[at] = 0;
    __syncthreads();
    if (t == 0) {
      if (blockIdx.x == 0) r.stamps[iter].assigned = cuda::nanoseconds();
      moved = cuda::meet(r.meetings + iter, Bits(moved_here));
      moved_here = next = 0;
      if (blockIdx.x == 0) r.stamps[iter].met = cuda::nanoseconds();
    }
    __syncthreads();
    const bool last = iter == r.max_iters || static_cast<double>(moved) <= r.stop_at;
    update_centroids(b, b.changes(iter), last);
    if (blockIdx.x == 0 && t == 0) r.stamps[iter].made = cuda::nanoseconds();
    if (last) {
      if (blockIdx.x == 0 && t == 0) *r.iters = iter;
      break;
    }
    __syncthreads();
  }
  if (r.owner_bytes == 1) write_labels<std::uint8_t>(b, shared);
  else write_labels<std::uint16_t>(b, shared);
}

}  // namespace km::boxes

// The kernel of impl/gpu/hamerly/neighbours.cu: a run from the initial centroids to the labels.
#pragma once

#include "impl/gpu/hamerly/neighbours_assign.cuh"
#include "impl/gpu/hamerly/neighbours_centroids.cuh"

namespace km::neighbours {

/// Threads: at most.
template <class T, int D, int Threads>
__global__ void __launch_bounds__(Threads, 1) iterate_all(const __grid_constant__ Run<T> r) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ int tally[tally_size], any_fine, any_twin, queued;
  __shared__ Bits moved;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, block = blockDim.x, k = r.k;
  Block<T, D> b(r, shared);
  const int cells = b.cells();
  Bits* const fine_table = reinterpret_cast<Bits*>(b.overlay);
  unsigned* const limb = reinterpret_cast<unsigned*>(fine_table + cells * r.table_copies);
  int* const counts = reinterpret_cast<int*>(limb + resident::limbs * cells * r.table_copies);
  const resident::Table table{limb, fine_table, counts, &any_fine, cells, r.table_copies, lane & (r.table_copies - 1), limb_width};

  const auto table_words = static_cast<int>(resident::Table::bytes_of(k, cells, r.table_copies) / 4);
  for (int at = t; at < table_words; at += block) reinterpret_cast<unsigned*>(b.overlay)[at] = 0;
  for (int at = t; at < 2 * cells; at += block) b.coarse[at] = 0;  // and fine
  for (int at = t; at < 2 * k * b.pitch; at += block) {
    const int c = at / b.pitch % k, j = at % b.pitch;
    b.rows[at] = j < r.d ? r.initial[c * r.d + j] : T(0);
  }
  for (int c = t; c < k; c += block) b.count[c] = 0, b.twin[c] = no_twin;
  if (t < tally_size) tally[t] = 0;
  if (t == 0) any_fine = any_twin = queued = 0;
  if (blockIdx.x == 0 && t == 0) r.stamps[0].made = cuda::nanoseconds();
  __syncthreads();

  float top = 0;
  for (int iter = 1;; ++iter) {
    if (iter == 1) assign_all(b, table, iter, tally);
    else assign_past(b, iter, top, tally, queued);
    // Nobody reads it since the last meeting or writes it before the next.
    for (int at = blockIdx.x * block + t; at < b.change_size(); at += gridDim.x * block) b.change(iter + 1)[at] = 0;
    __syncthreads();
    if (t == 0) {
      if (blockIdx.x == 0) r.stamps[iter].assigned = cuda::nanoseconds();
      moved = cuda::meet(r.meetings + iter, Bits(tally[changed]));
      if (blockIdx.x == 0) r.stamps[iter].met = cuda::nanoseconds();
    }
    __syncthreads();
    if (t < tally_size) {
      if (tally[t] > 0) atomicAdd(r.tallies + std::int64_t(iter) * tally_size + t, Bits(tally[t]));
      tally[t] = 0;
    }
    const bool last = iter == r.max_iters || static_cast<double>(moved) <= r.stop_at;
    make_centroids(b, iter, last);
    if (!last) {
      if (iter == 1) {
        b.points_here = min(r.points_cached, b.slices);
        for (int s = warp; s < b.points_here; s += b.warps) {
          const auto* const from = reinterpret_cast<const uint4*>(r.points + b.whole(s) * (slice * D));
          auto* const to = reinterpret_cast<uint4*>(b.points + s * (slice * D));
          for (int at = lane; at < slice * D * int(sizeof(T)) / 16; at += 32) to[at] = from[at];
        }
      }
      top = make_bounds(b, iter, any_twin);
    }
    if (blockIdx.x == 0 && t == 0) {
      r.stamps[iter].made = cuda::nanoseconds();
      if (last) *r.iters = iter;
    }
    if (last) break;
  }

  for (int s = warp; s < b.slices; s += b.warps) {
    const std::int64_t i = b.whole(s) * slice + lane;
    if (i < r.n) r.labels_out[i] = b.labels_of(s)[lane];
  }
}

}  // namespace km::neighbours

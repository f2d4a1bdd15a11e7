// The single pass for few clusters and rows of whole 16-byte pieces, without tile and barrier. The lanes of a warp share a point, one or more pieces
// each, so that loads are contiguous for any row length. The next points are prefetched. A lane has its pieces of K sums in registers. Shuffles sum
// the distances and halve the points at each step. Then each lane knows the label of one point and broadcasts it to its group.
// Cost of an iteration: points and labels read once, changed labels written; 12 instructions per value at K = 4.
#pragma once

#include <algorithm>
#include <bit>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/last_block.cuh"

namespace km::lanes {

constexpr int most_clusters = 16, most_block = 256;

/// How a warp takes points: `lanes` lanes per point, `pieces` 16-byte pieces per lane.
struct Shape {
  int lanes, pieces;

  Shape(int d, int value_bytes) {
    const int all = (d * value_bytes + 15) / 16;
    lanes = std::min(32, int(std::bit_ceil(unsigned(all))));
    pieces = int(std::bit_ceil(unsigned((all + lanes - 1) / lanes)));
  }
};

/// Clusters that the registers are laid out for.
inline int clusters(int k) { return k <= 4 ? 4 : k <= 8 ? 8 : 16; }

/// True if rows are whole pieces and all sums fit 64 registers per lane.
inline bool fits(int d, int k, int value_bytes) {
  return d * value_bytes % 16 == 0 && k <= most_clusters && clusters(k) * Shape(d, value_bytes).pieces <= 16;
}

/// Points that a group of lanes has in registers; as many are prefetched.
constexpr int in_flight(int pieces, int k) { return pieces <= 2 && pieces * k <= 8 ? 4 : 2; }

/// Sums distances over the lanes that share points, in the same order of lanes for all clusters: ties stay ties. Each step halves a lane's points.
template <int Lanes, int P, int K, class T>
__device__ __forceinline__ void sum_over_lanes(T (&dist)[P][K], int lane) {
#pragma unroll
  for (int step = Lanes / 2, left = P; step > 0; step /= 2) {
    left /= 2;
    const bool upper = lane & step;
#pragma unroll
    for (int p = 0; p < std::max(left, 1); ++p)
#pragma unroll
      for (int c = 0; c < K; ++c) {
        const T kept = left > 0 && upper ? dist[p + left][c] : dist[p][c], given = left > 0 && !upper ? dist[p + left][c] : dist[p][c];
        dist[p][c] = kept + __shfl_xor_sync(0xFFFFFFFF, given, step);
      }
  }
}

/// Adds a lane's pieces of a point to all clusters' sums, times one or zero: registers cannot be indexed at run time.
template <int K, int Values, int Pieces, class T>
__device__ __forceinline__ void add(const cuda::Pack<T> (&x)[Pieces], std::int32_t label, T (&sum)[K][Values]) {
  constexpr int width = cuda::Pack<T>::size;
#pragma unroll
  for (int c = 0; c < K; ++c) {
    const T share = label == c ? 1 : 0;
#pragma unroll
    for (int v = 0; v < Values; ++v) sum[c][v] += share * x[v / width].at[v % width];
  }
}

/// Adds all threads' sums and counts to those of the grid (k x d, k). rows, block_counts: of the block; rows, the centroids, are overwritten.
template <int Lanes, int K, int Values, int RowPacks, class T>
__device__ __forceinline__ void merge(T (&sum)[K][Values], const unsigned (&count)[K], cuda::Pack<T> (&rows)[K][RowPacks],
                                      unsigned (&block_counts)[K], int d, int k, T* sums, unsigned* counts) {
  constexpr int width = cuda::Pack<T>::size;
  constexpr unsigned all = 0xFFFFFFFF;
  const int t = threadIdx.x, lane = t % Lanes, group = t % 32 / Lanes;
  __syncthreads();  // the centroids are no longer read
  for (int at = t; at < K * RowPacks; at += blockDim.x) rows[at / RowPacks][at % RowPacks] = cuda::Pack<T>{};
  __syncthreads();
#pragma unroll
  for (int c = 0; c < K; ++c) {
#pragma unroll
    for (int v = 0; v < Values; ++v) {
#pragma unroll
      for (int step = 16; step >= Lanes; step /= 2) sum[c][v] += __shfl_xor_sync(all, sum[c][v], step);
      if (group == 0) atomicAdd(&rows[c][v / width * Lanes + lane].at[v % width], sum[c][v]);
    }
    const unsigned warp_count = __reduce_add_sync(all, count[c]);
    if (t % 32 == 0 && warp_count > 0) atomicAdd(&block_counts[c], warp_count);
  }
  __syncthreads();
  for (int at = t; at < k * d; at += blockDim.x)
    if (const T total = rows[at / d][at % d / width].at[at % d % width]; total != 0) atomicAdd(&sums[at], total);
  if (t < k && block_counts[t] > 0) atomicAdd(&counts[t], block_counts[t]);
}

/// Fills the rows with centroids. A row beyond k is never the nearest; padding adds nothing.
template <int K, int RowPacks, class T>
__device__ __forceinline__ void fill_rows(cuda::Pack<T> (&rows)[K][RowPacks], const T* __restrict__ centroids, int d, int k) {
  constexpr int width = cuda::Pack<T>::size, values = RowPacks * width;
  for (int at = threadIdx.x; at < K * values; at += blockDim.x) {
    const int c = at / values, j = at % values;
    rows[c][j / width].at[j % width] = c >= k ? cuda::infinity<T> : j < d ? centroids[c * d + j] : T(0);
  }
}

/// Adds the distances² of a lane's pieces of P points to all rows.
template <int Lanes, int P, int Pieces, int K, int RowPacks, class T>
__device__ __forceinline__ void add_distances(const cuda::Pack<T> (&x)[P][Pieces], const cuda::Pack<T> (&rows)[K][RowPacks], int lane,
                                              T (&dist)[P][K]) {
#pragma unroll
  for (int c = 0; c < K; ++c)
#pragma unroll
    for (int v = 0; v < Pieces; ++v) {
      const cuda::Pack<T> row = rows[c][v * Lanes + lane];
#pragma unroll
      for (int p = 0; p < P; ++p)
#pragma unroll
        for (int w = 0; w < row.size; ++w) {
          const T diff = x[p][v].at[w] - row.at[w];
          dist[p][c] += diff * diff;
        }
    }
}

/// points: n x d, centroids, next: k x d, k <= K. Adds to changed, sums (k x d) and counts. The last block turns them into next and clears them.
template <class T, int Lanes, int Pieces, int K>
__global__ void __launch_bounds__(most_block)
    label_and_sum(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d, int k, std::int32_t* __restrict__ labels,
                  unsigned long long* changed, T* sums, unsigned* counts, unsigned* done, T* next) {
  using Pack = cuda::Pack<T>;
  constexpr int width = Pack::size, values = Pieces * width, groups = 32 / Lanes, P = in_flight(Pieces, K);
  constexpr int own = std::max(1, P / Lanes);  // points whose distances a lane gets
  constexpr unsigned all = 0xFFFFFFFF;
  __shared__ Pack rows[K][Pieces * Lanes];  // the centroids; at the end the sums
  __shared__ unsigned block_counts[K];
  const int t = threadIdx.x, lane = t % Lanes, group = t % 32 / Lanes;
  fill_rows(rows, centroids, d, k);
  if (t < K) block_counts[t] = 0;
  __syncthreads();

  bool here[Pieces];  // whether the row has this piece
#pragma unroll
  for (int v = 0; v < Pieces; ++v) here[v] = (v * Lanes + lane) * width < d;
  int mine = 0;          // the first current point whose distances this lane gets
  bool first_of = true;  // false if an earlier lane gets the same
#pragma unroll
  for (int step = Lanes / 2, left = P; step > 0; step /= 2) {
    left /= 2;
    if (left > 0) mine += lane & step ? left : 0;
    else first_of &= (lane & step) == 0;
  }

  Pack x[P][Pieces], ahead[P][Pieces];
  std::int32_t old[own], old_ahead[own];
  const std::int64_t warps = std::int64_t(gridDim.x) * (blockDim.x / 32), stride = warps * P * groups;
  const auto load = [&](std::int64_t first) {
#pragma unroll
    for (int p = 0; p < P; ++p) {
      const std::int64_t i = first + p * groups + group;
#pragma unroll
      for (int v = 0; v < Pieces; ++v)
        ahead[p][v] = here[v] && i < n ? *reinterpret_cast<const Pack*>(points + i * d + (v * Lanes + lane) * width) : Pack{};
    }
#pragma unroll
    for (int r = 0; r < own; ++r) {
      const std::int64_t i = first + (mine + r) * groups + group;
      old_ahead[r] = first_of && i < n ? labels[i] : no_label;
    }
  };

  T sum[K][values] = {};
  unsigned count[K] = {}, moved = 0;
  std::int64_t first = (std::int64_t(blockIdx.x) * (blockDim.x / 32) + t / 32) * P * groups;
  if (first < n) load(first);
  for (; first < n; first += stride) {
#pragma unroll
    for (int p = 0; p < P; ++p)
#pragma unroll
      for (int v = 0; v < Pieces; ++v) x[p][v] = ahead[p][v];
#pragma unroll
    for (int r = 0; r < own; ++r) old[r] = old_ahead[r];
    if (first + stride < n) load(first + stride);

    T dist[P][K] = {};
    add_distances<Lanes>(x, rows, lane, dist);
    sum_over_lanes<Lanes>(dist, lane);

    std::int32_t best[own], label[P];
#pragma unroll
    for (int r = 0; r < own; ++r) {
      T best_dist = cuda::infinity<T>;
      best[r] = 0;
#pragma unroll
      for (int c = 0; c < K; ++c)
        if (dist[r][c] < best_dist) best_dist = dist[r][c], best[r] = c;  // strict: the lowest index wins a tie
      const std::int64_t i = first + (mine + r) * groups + group;
      if (i >= n) best[r] = no_label;  // added to no sum
      const bool counted = first_of && i < n;
      if (counted && best[r] != old[r]) labels[i] = best[r], ++moved;
#pragma unroll
      for (int c = 0; c < K; ++c) count[c] += counted && best[r] == c;
    }
#pragma unroll
    for (int p = 0; p < P; ++p) {
      const int from = P >= Lanes ? p / own : p * (Lanes / P);  // the lane with its label
      label[p] = Lanes > 1 ? __shfl_sync(all, best[p % own], from, Lanes) : best[p % own];
    }
#pragma unroll
    for (int p = 0; p < P; ++p) add(x[p], label[p], sum);
  }

  cuda::add_of_warp(changed, moved);
  merge<Lanes>(sum, count, rows, block_counts, d, k, sums, counts);
  if (cuda::is_last_block(done)) cuda::average(sums, counts, centroids, d, k, next);
}

template <class T>
using Kernel = decltype(&label_and_sum<T, 1, 1, 4>);

/// Returns the kernel of a shape that fits.
template <class T>
Kernel<T> kernel(int d, int k) {
  const Shape shape(d, sizeof(T));
  const auto with_clusters = [&]<int Lanes, int Pieces>() -> Kernel<T> {
    if constexpr (Pieces <= 1)
      if (k > 8) return label_and_sum<T, Lanes, Pieces, 16>;
    if constexpr (Pieces <= 2)
      if (k > 4) return label_and_sum<T, Lanes, Pieces, 8>;
    return label_and_sum<T, Lanes, Pieces, 4>;
  };
  switch (shape.lanes) {
    case 1: return with_clusters.template operator()<1, 1>();
    case 2: return with_clusters.template operator()<2, 1>();
    case 4: return with_clusters.template operator()<4, 1>();
    case 8: return with_clusters.template operator()<8, 1>();
    case 16: return with_clusters.template operator()<16, 1>();
    default: break;
  }
  return shape.pieces == 1   ? with_clusters.template operator()<32, 1>()
         : shape.pieces == 2 ? with_clusters.template operator()<32, 2>()
                             : with_clusters.template operator()<32, 4>();
}

/// Resident blocks that have points.
template <class T>
unsigned blocks(Kernel<T> kernel, const ProblemShape& p, int block) {
  const Shape shape(p.d, sizeof(T));
  const int batch = block / shape.lanes * in_flight(shape.pieces, clusters(p.k));
  return std::min(cuda::blocks(p.n, batch), cuda::resident_blocks(kernel, block));
}

/// Longest chain of additions behind a sum: a group's points, groups, warps, blocks.
inline std::int64_t depth(const ProblemShape& p, int block, int grid) {
  const Shape shape(p.d, sizeof(double));  // fp32 has at most as many lanes per point
  const std::int64_t blocks = std::min(grid, 66),
                     warps = blocks * (block / 32);  // fewer blocks run at once on small cards
  return p.n / (warps * (32 / shape.lanes)) + 4 + 5 + block / 32 + grid;
}

}  // namespace km::lanes

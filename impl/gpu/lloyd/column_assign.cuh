// lutz2018's point assignment: column-major points, several per thread ("vector length"), share reads of centroids. Distances stay in registers.
// Cost: the points are read ceil(k / C) times, first from memory, then from a cache if a block's share fits it.
#pragma once

#include "bench/device/cuda_lloyd.cuh"

namespace km::lutz {

constexpr int assign_vector = 4;

/// Labels P points by C centroids (k x d) at a time. value(j, p): dimension j of point p.
template <int P, int C, class T, class Value>
__device__ __forceinline__ void label_together(const T* __restrict__ centroids, int d, int k, Value value, std::int32_t (&best)[P]) {
  T best_dist[P];
#pragma unroll
  for (int p = 0; p < P; ++p) best[p] = 0, best_dist[p] = cuda::infinity<T>;
  for (int c0 = 0; c0 < k; c0 += C) {
    int row[C];
    T dist[P][C] = {};
#pragma unroll
    for (int u = 0; u < C; ++u) row[u] = min(c0 + u, k - 1) * d;  // repeating the last is never strictly nearer
#pragma unroll(C <= 8 ? 4 : 2)
    for (int j = 0; j < d; ++j) {
      T x[P];
#pragma unroll
      for (int p = 0; p < P; ++p) x[p] = value(j, p);
#pragma unroll
      for (int u = 0; u < C; ++u) {
        const T centroid = centroids[row[u] + j];
#pragma unroll
        for (int p = 0; p < P; ++p) dist[p][u] += (x[p] - centroid) * (x[p] - centroid);
      }
    }
#pragma unroll
    for (int u = 0; u < C; ++u)
#pragma unroll
      for (int p = 0; p < P; ++p)
        if (dist[p][u] < best_dist[p]) best_dist[p] = dist[p][u], best[p] = c0 + u;  // strict: the lowest index wins a tie
  }
}

/// points: d x n, centroids: k x d. Labels n points and adds to changed.
template <class T, int C>
__global__ void assign_points(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d, int k,
                              std::int32_t* __restrict__ labels, unsigned long long* changed) {
  constexpr int P = assign_vector;
  const std::int64_t first = std::int64_t(blockIdx.x) * blockDim.x * P + threadIdx.x;
  std::int64_t at[P];
  std::int32_t best[P], old[P];  // load old labels with the points
#pragma unroll
  for (int p = 0; p < P; ++p) at[p] = min(first + p * int(blockDim.x), n - 1);
#pragma unroll
  for (int p = 0; p < P; ++p) old[p] = labels[at[p]];
  label_together<P, C>(
      centroids, d, k, [&](int j, int p) { return points[j * n + at[p]]; }, best);
  unsigned moved = 0;
#pragma unroll
  for (int p = 0; p < P; ++p)
    if (first + p * int(blockDim.x) < n && old[p] != best[p]) labels[at[p]] = best[p], ++moved;
  cuda::add_of_warp(changed, moved);
}

/// Enqueues the assignment of n points with blocks of `block` threads, a multiple of 32.
template <class T>
void assign(const T* points, const T* centroids, std::int64_t n, int d, int k, int block, std::int32_t* labels, unsigned long long* changed,
            cudaStream_t stream) {
  constexpr int most = sizeof(T) == 4 ? 16 : 8;  // registers for 4 x most distances
  auto* const kernel = k <= 4 ? assign_points<T, 4> : k <= 8 ? assign_points<T, 8> : assign_points<T, most>;
  kernel<<<cuda::blocks(n, std::int64_t(block) * assign_vector), block, 0, stream>>>(points, centroids, n, d, k, labels, changed);
  cuda::check_launch();
}

}  // namespace km::lutz

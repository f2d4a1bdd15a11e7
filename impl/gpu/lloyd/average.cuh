// Updates in kernels of their own: sums in global memory, and means of sums and counts.
#pragma once

#include "bench/device/cuda.cuh"

namespace km {

/// One thread per point, one atomicAdd per value. points: d x n, sums: d x k, counts: k; both start at zero.
template <class T>
__global__ void add_points(const T* __restrict__ points, const std::int32_t* __restrict__ labels, std::int64_t n, int d, int k, T* sums,
                           unsigned* counts) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int c = labels[i];
  atomicAdd(&counts[c], 1u);
  for (int j = 0; j < d; ++j) atomicAdd(&sums[std::int64_t(j) * k + c], points[j * n + i]);
}

/// One thread per value of the centroids. An empty cluster keeps its centroid. Sums and counts do not change.
template <class Sum, class Count, class T>
__global__ void divide_sums(const Sum* sums, const Count* counts, const T* centroids, std::int64_t cells, int d, T* next) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= cells) return;
  const Count count = counts[at / d];
  next[at] = count > 0 ? static_cast<T>(sums[at] / static_cast<Sum>(count)) : centroids[at];
}

/// Adds the sums (cells) and counts (k) of a block's groups to those of the grid. All threads call it.
template <class T, class Sum, class Count>
__device__ __forceinline__ void add_groups(const T* group_sums, const unsigned* group_counts, int groups, std::int64_t cells, int k, Sum* sums,
                                           Count* counts) {
  for (int at = threadIdx.x; at < cells; at += blockDim.x) {
    T sum = 0;
    for (int group = 0; group < groups; ++group) sum += group_sums[group * cells + at];
    if (sum != 0) atomicAdd(&sums[at], Sum(sum));
  }
  for (int c = threadIdx.x; c < k; c += blockDim.x) {
    unsigned count = 0;
    for (int group = 0; group < groups; ++group) count += group_counts[group * k + c];
    if (count > 0) atomicAdd(&counts[c], Count(count));
  }
}

/// sums, centroids, next: k x d.
template <class Sum, class Count, class T>
void enqueue_average(const cuda::Buffer<Sum>& sums, const cuda::Buffer<Count>& counts, const T* centroids, int d, T* next, cudaStream_t stream) {
  divide_sums<<<cuda::blocks(sums.size(), 256), 256, 0, stream>>>(sums.data(), counts.data(), centroids, sums.size(), d, next);
  cuda::check_launch();
}

}  // namespace km

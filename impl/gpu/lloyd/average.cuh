// Ends an update in a kernel of its own: divides sums by counts.
#pragma once

#include "bench/device/cuda.cuh"

namespace km {

/// One thread per value of the centroids. An empty cluster keeps its centroid. Sums and counts do not change.
template <class Sum, class Count, class T>
__global__ void divide_sums(const Sum* sums, const Count* counts, const T* centroids, std::int64_t cells, int d, T* next) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= cells) return;
  const Count count = counts[at / d];
  next[at] = count > 0 ? static_cast<T>(sums[at] / static_cast<Sum>(count)) : centroids[at];
}

/// sums, centroids, next: k x d.
template <class Sum, class Count, class T>
void enqueue_average(const cuda::Buffer<Sum>& sums, const cuda::Buffer<Count>& counts, const T* centroids, int d, T* next, cudaStream_t stream) {
  divide_sums<<<cuda::blocks(sums.size(), 256), 256, 0, stream>>>(sums.data(), counts.data(), centroids, sums.size(), d, next);
  cuda::check_launch();
}

}  // namespace km

// he2021's assign, the same from the naive start of its ladder to two_step_dynamic.
#pragma once

#include "bench/device/cuda_lloyd.cuh"

namespace km::two_step {

/// Listing 2: one thread per point. points: d x n, centroids: k x d. With d known the point stays in registers, else it is read once per centroid.
template <class T, int D>
__global__ void assign(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d, int k, std::int32_t* __restrict__ labels,
                       unsigned long long* changed) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  bool moved = false;
  if (i < n) {
    const std::int32_t old = labels[i];
    std::int32_t best = 0;
    if constexpr (cuda::fits_registers<T, D>) {
      T x[D];
#pragma unroll
      for (int j = 0; j < D; ++j) x[j] = points[j * n + i];
      best = cuda::nearest_of<T>(k, [&](int c) { return cuda::distance(x, centroids + c * D); });
    } else {
      best = cuda::nearest_of<T>(k, [&](int c) { return cuda::squares<T>(d, [&](int j) { return points[j * n + i] - centroids[c * d + j]; }); });
    }
    moved = old != best;
    if (moved) labels[i] = best;
  }
  cuda::add_of_block(changed, moved);
}

/// Enqueues assign with blocks of `block` threads. points: d x n.
template <class T>
void enqueue_assign(cuda::Lloyd<T>& lloyd, const T* points, int block) {
  const auto [n, d, k, max_iters, tolerance] = lloyd.shape();
  cuda::with_paper_dimension(d, [&](auto D) {
    assign<T, decltype(D)::value>
        <<<cuda::blocks(n, block), block, 0, lloyd.stream()>>>(points, lloyd.assigned(), n, d, k, lloyd.labels(), lloyd.changed());
  });
  cuda::check_launch();
}

}  // namespace km::two_step

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
    T best_dist = cuda::infinity<T>;
    if constexpr (cuda::fits_registers<T, D>) {
      T x[D];
#pragma unroll
      for (int j = 0; j < D; ++j) x[j] = points[j * n + i];
      for (int c = 0; c < k; ++c) {
        const T dist = cuda::distance(x, centroids + c * D);
        if (dist < best_dist) best_dist = dist, best = c;  // strict: the lowest index wins a tie
      }
    } else {
      for (int c = 0; c < k; ++c) {
        T dist = 0;
        for (int j = 0; j < d; ++j) {
          const T diff = points[j * n + i] - centroids[c * d + j];
          dist += diff * diff;
        }
        if (dist < best_dist) best_dist = dist, best = c;
      }
    }
    moved = old != best;
    if (moved) labels[i] = best;
  }
  const int count = __syncthreads_count(moved);  // counts the block's changes in one instruction
  if (threadIdx.x == 0 && count > 0) atomicAdd(changed, count);
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

// Ends an update inside the summing kernel, which saves three launches per iteration: the last block to finish makes the means and clears the sums.
#pragma once

#include "bench/device/cuda_lloyd.cuh"

namespace km::cuda {

/// True if all other blocks have finished their additions to global memory. All threads call it. done: zero before and after.
__device__ inline bool is_last_block(unsigned* done) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(done, 1) == gridDim.x - 1;
    if (last) *done = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}

/// One block divides sums (k x d) by counts and clears both. An empty cluster keeps its centroid.
template <class T>
__device__ void average(T* sums, unsigned* counts, const T* centroids, int d, int k, T* next) {
  for (int at = threadIdx.x; at < k * d; at += blockDim.x) {
    const unsigned count = __ldcg(&counts[at / d]);
    next[at] = count > 0 ? __ldcg(&sums[at]) / static_cast<T>(count) : centroids[at];
    sums[at] = 0;
  }
  __syncthreads();
  for (int c = threadIdx.x; c < k; c += blockDim.x) counts[c] = 0;
}

}  // namespace km::cuda

// The end of an update in the kernel that made the sums: the block that finishes last sees what all others added, turns sums into means
// and leaves zeros for the next iteration. Saves three launches an iteration, which small problems feel.
#pragma once

#include "bench/device/cuda_lloyd.cuh"

namespace km::cuda {

/// Whether all other blocks are done, and with them their additions to global memory. All threads call it; done: zero before, and after.
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

/// Sums (k x d) to means, by one block; an empty cluster keeps its centroid. Sums and counts are left zero.
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

// Shared by lutz2018's strategies: limits of local memory (CUDA: shared memory), tables in global memory beyond them, and means from the two sums.
#pragma once

#include <algorithm>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/average.cuh"

namespace km::lutz {

constexpr std::int64_t local_limit = 160 * 1024;                     // bytes per block on the A100 and later
constexpr std::int64_t global_tables_limit = std::int64_t(1) << 30;  // bytes of all blocks' tables in global memory; limits the blocks

/// Returns how many of `wanted` blocks fit their tables in global memory, at least one.
inline unsigned blocks_with_tables(std::int64_t wanted, std::int64_t bytes_a_block) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(global_tables_limit / std::max<std::int64_t>(bytes_a_block, 1), 1, wanted));
}

/// Adds the masses of a block's threads to counts: table[c * stride + t], one warp per cluster.
__device__ __forceinline__ void add_masses(const unsigned* table, std::int64_t stride, int k, unsigned* counts) {
  const int t = threadIdx.x, block = blockDim.x;
  for (int c = t / 32; c < k; c += block / 32) {
    unsigned count = 0;
    for (int u = t % 32; u < block; u += 32) count += table[c * stride + u];
    count = __reduce_add_sync(0xFFFFFFFF, count);
    if (t % 32 == 0 && count > 0) atomicAdd(&counts[c], count);
  }
}

/// Sums of an iteration: feature sums (k x d) and mass sums (k), accumulated over chunks of points.
template <class T>
class Running {
 public:
  Running(int d, int k) : d_(d), sums_(std::int64_t(k) * d), counts_(k) {}

  T* sums() { return sums_.data(); }
  unsigned* counts() { return counts_.data(); }
  void clear_sums(cudaStream_t stream) { cuda::clear(stream, sums_); }
  void clear_counts(cudaStream_t stream) { cuda::clear(stream, counts_); }
  void average(const T* centroids, T* next, cudaStream_t stream) { enqueue_average(sums_, counts_, centroids, d_, next, stream); }

 private:
  int d_;
  cuda::Buffer<T> sums_;
  cuda::Buffer<unsigned> counts_;
};

}  // namespace km::lutz

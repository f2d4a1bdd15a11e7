// lutz2018's mass sums (Section 3.2): a histogram of the labels. Global atomic: one. Partitioned global, partitioned local: one per block, in global
// or local memory (CUDA: shared). Partitioned private: one per thread without atomics, in local memory, else in global memory.
// Cost: labels read once; an atomicAdd per point except for the private one, and k per block to merge.
#pragma once

#include <string_view>

#include "impl/gpu/lloyd/column_means.cuh"

namespace km::lutz {

__global__ static void count_atomically(const std::int32_t* __restrict__ labels, std::int64_t n, unsigned* counts) {
  const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) atomicAdd(&counts[labels[i]], 1u);
}

/// One histogram per block. tables: blocks x k, unless Local.
template <bool Local>
__global__ void count_by_block(const std::int32_t* __restrict__ labels, std::int64_t n, int k, unsigned* tables, unsigned* counts) {
  extern __shared__ unsigned local_counts[];
  unsigned* const table = Local ? local_counts : tables + std::int64_t(blockIdx.x) * k;
  const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
  for (int c = threadIdx.x; c < k; c += blockDim.x) table[c] = 0;
  __syncthreads();
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) atomicAdd(&table[labels[i]], 1u);
  __syncthreads();
  for (int c = threadIdx.x; c < k; c += blockDim.x)
    if (const unsigned count = Local ? table[c] : __ldcg(&table[c]); count > 0) atomicAdd(&counts[c], count);
}

/// One histogram per thread. tables: k x threads of the grid, unless Local.
template <bool Local>
__global__ void count_by_thread(const std::int32_t* __restrict__ labels, std::int64_t n, int k, unsigned* tables, unsigned* counts) {
  extern __shared__ unsigned local_counts[];
  const int t = threadIdx.x, block = blockDim.x;
  const std::int64_t threads = std::int64_t(gridDim.x) * block, stride = Local ? block : threads;
  unsigned* const of_block = Local ? local_counts : tables + std::int64_t(blockIdx.x) * block;
  for (int c = 0; c < k; ++c) of_block[c * stride + t] = 0;
#pragma unroll 4
  for (std::int64_t i = std::int64_t(blockIdx.x) * block + t; i < n; i += threads) ++of_block[labels[i] * stride + t];
  __syncthreads();
  add_masses(of_block, stride, k, counts);
}

/// One of the four strategies, for chunks of at most n points. Not concurrently: it owns the tables in global memory.
class MassSum {
 public:
  MassSum(std::string_view strategy, std::int64_t n, int k, int block, int grid) : k_(k), block_(block) {
    const std::int64_t table_bytes = std::int64_t(k) * sizeof(unsigned) * (strategy == "partitioned private" ? block : 1);
    const bool local = strategy != "partitioned global" && table_bytes <= local_limit;
    if (strategy == "partitioned private") by_table_ = local ? count_by_thread<true> : count_by_thread<false>;
    else if (strategy != "global atomic") by_table_ = local ? count_by_block<true> : count_by_block<false>;
    const std::int64_t wanted = std::min<std::int64_t>(grid, cuda::blocks(n, block));
    grid_ = by_table_ && !local ? blocks_with_tables(wanted, table_bytes) : static_cast<unsigned>(wanted);
    if (!by_table_) return;
    if (!local) tables_ = cuda::Buffer<unsigned>(grid_ * table_bytes / sizeof(unsigned));
    else bytes_ = table_bytes, cuda::allow_shared(by_table_, bytes_);
  }

  /// labels: n, counts: k.
  void add(const std::int32_t* labels, std::int64_t n, unsigned* counts, cudaStream_t stream) {
    if (by_table_) by_table_<<<grid_, block_, bytes_, stream>>>(labels, n, k_, tables_.data(), counts);
    else count_atomically<<<grid_, block_, 0, stream>>>(labels, n, counts);
    cuda::check_launch();
  }

 private:
  int k_, block_;
  unsigned grid_ = 1;
  std::size_t bytes_ = 0;
  cuda::Buffer<unsigned> tables_;
  decltype(&count_by_thread<true>) by_table_ = nullptr;
};

}  // namespace km::lutz

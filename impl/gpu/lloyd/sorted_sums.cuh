// An update without contended atomics, for rows of many dimensions and many clusters. A block sorts its share of the points by label in shared
// memory (indices only, a counting sort). Groups of its threads, a lane per 16-byte piece of the row, walk through the sorted rows and sum in
// registers until the cluster changes. Each row is read once and whole. Rows are shared, not clusters, so that sizes of clusters do not matter.
// Cost: points read once, labels twice; per block at most k + groups times d atomicAdds. Floor: n d values from memory (docs/kernels.md).
#pragma once

#include <algorithm>
#include <string>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/average.cuh"
#include "impl/gpu/registration.hpp"

namespace km::sorted_sums {

constexpr int block = 1024;               // threads that sort and sum, one block per multiprocessor
constexpr int batch = 8;                  // rows in flight per thread
constexpr int chunk_limit = 32768;        // points sorted at a time
constexpr int shared_limit = 160 * 1024;  // of the A100 and later

/// points: n x d. `lanes` threads of a group share the dimensions, Width values each. Adds to sums (k x d) and counts.
template <class T, int Width>
__global__ void __launch_bounds__(block, 1) sum_sorted(const T* __restrict__ points, const std::int32_t* __restrict__ labels, std::int64_t n, int d,
                                                       int k, int chunk, int lanes, T* sums, unsigned* counts) {
  using Values = cuda::Values<T, Width>;
  using Batch = cuda::Values<std::uint16_t, batch>;
  extern __shared__ int4 shared[];
  auto* const order = reinterpret_cast<std::uint16_t*>(shared);  // chunk: points by label, as indices within the chunk
  int* const ends = reinterpret_cast<int*>(order + chunk);       // k: end of each cluster's points
  const int t = threadIdx.x, groups = block / lanes, g = t / lanes, lane = t % lanes;

  for (std::int64_t first = std::int64_t(blockIdx.x) * chunk; first < n; first += std::int64_t(gridDim.x) * chunk) {
    const int size = static_cast<int>(n - first < chunk ? n - first : chunk);
    for (int c = t; c < k; c += block) ends[c] = 0;
    __syncthreads();
    for (int i = t; i < size; i += block) atomicAdd(&ends[labels[first + i]], 1);
    __syncthreads();
    for (int c = t, before = 0; t < 32 && c - t < k; c += 32) {  // one warp: exclusive prefix sum
      const int count = c < k ? ends[c] : 0;
      if (count > 0) atomicAdd(&counts[c], count);
      int up_to = count;
      for (int step = 1; step < 32; step *= 2)
        if (const int left = __shfl_up_sync(0xFFFFFFFF, up_to, step); t >= step) up_to += left;
      if (c < k) ends[c] = before + up_to - count;
      before += __shfl_sync(0xFFFFFFFF, up_to, 31);
    }
    __syncthreads();
    for (int i = t; i < size; i += block) order[atomicAdd(&ends[labels[first + i]], 1)] = static_cast<std::uint16_t>(i);
    __syncthreads();

    const int share = (size + groups * batch - 1) / (groups * batch) * batch, begin = g * share, end = min(begin + share, size);
    for (int j = lane * Width; g < groups && begin < end && j < d; j += lanes * Width) {
      int c = 0;
      for (int above = k - 1; c < above;) {  // the first cluster that ends after `begin`
        const int middle = (c + above) / 2;
        if (ends[middle] > begin) above = middle;
        else c = middle + 1;
      }
      int run_end = ends[c];
      T sum[Width] = {};
      const auto flush = [&] {
#pragma unroll
        for (int w = 0; w < Width; ++w) atomicAdd(&sums[std::int64_t(c) * d + j + w], sum[w]), sum[w] = 0;
      };
      for (int p = begin; p < end; p += batch) {
        const Batch next = *reinterpret_cast<const Batch*>(order + p);
        Values x[batch];
#pragma unroll
        for (int u = 0; u < batch; ++u)
          if (p + u < end) x[u] = *reinterpret_cast<const Values*>(points + (first + next.at[u]) * d + j);
#pragma unroll
        for (int u = 0; u < batch; ++u) {
          if (p + u >= end) break;
          if (p + u == run_end) {
            flush();
            do run_end = ends[++c];
            while (run_end <= p + u);
          }
#pragma unroll
          for (int w = 0; w < Width; ++w) sum[w] += x[u].at[w];
        }
      }
      flush();
    }
    __syncthreads();  // before order and ends are overwritten
  }
}

/// How `grid` blocks share the points: `chunk` are sorted at a time; `values` per lane and row.
struct Shares {
  int chunk, lanes, groups;
  Shares(const ProblemShape& p, std::int64_t grid, int values) : lanes(std::min((p.d + values - 1) / values, block)), groups(block / lanes) {
    const std::int64_t turns = (p.n + grid * chunk_limit - 1) / (grid * chunk_limit);
    chunk = static_cast<int>((p.n + grid * turns * batch - 1) / (grid * turns * batch) * batch);
  }
  std::size_t shared_bytes(int k) const { return chunk * sizeof(std::uint16_t) + k * sizeof(int); }
};

inline std::string unsupported(const ProblemShape& p) {
  if (p.k > int((shared_limit - chunk_limit * sizeof(std::uint16_t)) / sizeof(int))) return "k counters exceed 96 KiB of shared memory";
  return counts_overflow(p);
}

/// A group's share in registers, then every group of every chunk to one sum; for the widest rows of either precision.
inline std::int64_t summation_depth(const ProblemShape& p, std::int64_t grid) {
  const Shares wide(p, grid, 1), narrow(p, grid, 4);
  return wide.chunk / wide.groups + 2 * batch + narrow.groups * ((p.n + narrow.chunk - 1) / narrow.chunk);
}

template <class T>
class Update {
 public:
  Update(const ProblemShape& p, int grid)
      : p_(p), whole_(p.d % cuda::Pack<T>::size == 0), shares_(p, grid, whole_ ? cuda::Pack<T>::size : 1),
        grid_(std::min(cuda::blocks(p.n, shares_.chunk), static_cast<unsigned>(grid))), sums_(std::int64_t(p.k) * p.d), counts_(p.k),
        kernel_(whole_ ? sum_sorted<T, cuda::Pack<T>::size> : sum_sorted<T, 1>) {
    cuda::allow_shared(kernel_, shares_.shared_bytes(p.k));
  }

  /// points: n x d; centroids, next: k x d.
  void enqueue(const T* points, const std::int32_t* labels, const T* centroids, T* next, cudaStream_t stream) {
    cuda::clear(stream, sums_, counts_);
    kernel_<<<grid_, block, shares_.shared_bytes(p_.k), stream>>>(points, labels, p_.n, p_.d, p_.k, shares_.chunk, shares_.lanes, sums_.data(),
                                                                  counts_.data());
    cuda::check_launch();
    enqueue_average(sums_, counts_, centroids, p_.d, next, stream);
  }

 private:
  ProblemShape p_;
  bool whole_;  // rows are aligned to 16 bytes
  Shares shares_;
  unsigned grid_;
  cuda::Buffer<T> sums_;
  cuda::Buffer<unsigned> counts_;
  decltype(&sum_sorted<T, 1>) kernel_;
};

}  // namespace km::sorted_sums

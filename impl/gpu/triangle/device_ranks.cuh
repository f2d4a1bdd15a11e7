// ICD and RID on the card in one kernel. A block takes a centroid, computes its distances² to all others in shared memory, sorts them there (bitonic
// sort: Batcher, Sorting networks and their applications, 1968) and writes them ranked, distance² beside index, so that the loop reads in order.
// Cost: k² d FMAs with columns from caches, k² (log k)² / 4 compared pairs in shared memory, k² pairs written.
#pragma once

#include "bench/device/cuda_host.cuh"

namespace km::triangle {

constexpr int most_ranked = 8192;  // 128 KiB of pairs in fp64

template <class T>
struct alignas(2 * sizeof(T)) Ranked {
  T dist;
  int c;
};

/// A row has k pairs; the centroid itself is first, with distance² -1. columns: d x k, for coalesced loads. padded: k up to a power of two. Pairs of
/// a step up to 32 lie within one warp's 64, which needs no barrier for them.
template <class T>
__global__ void __launch_bounds__(512) rank(const T* __restrict__ columns, int d, int k, int padded, Ranked<T>* ranks) {
  extern __shared__ int4 shared[];
  auto* const row = reinterpret_cast<Ranked<T>*>(shared);
  const int own = blockIdx.x;
  for (int c = threadIdx.x; c < padded; c += blockDim.x) {
    T dist = 0;
    if (c < k) {
#pragma unroll 8
      for (int j = 0; j < d; ++j) {
        const T diff = columns[std::int64_t(j) * k + own] - columns[std::int64_t(j) * k + c];
        dist += diff * diff;
      }
    }
    row[c] = {c == own ? T(-1) : c < k ? dist : cuda::infinity<T>, c};
  }
  __syncthreads();
  for (int size = 2; size <= padded; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      for (int pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        const int at = (pair & ~(step - 1)) * 2 + (pair & (step - 1));
        const Ranked<T> low = row[at], high = row[at + step];
        const bool descending = high.dist < low.dist || (high.dist == low.dist && high.c < low.c);
        if (descending == ((at & size) == 0)) row[at] = high, row[at + step] = low;
      }
      if (const int next = step > 1 ? step / 2 : size; step > 32 || next > 32) __syncthreads();
      else __syncwarp();
    }
  __syncthreads();
  for (int c = threadIdx.x; c < k; c += blockDim.x) ranks[std::int64_t(own) * k + c] = row[c];
}

template <class T>
class DeviceRanks {
 public:
  DeviceRanks(int d, int k) : d_(d), k_(k), columns_(std::int64_t(k) * d), ranks_(std::int64_t(k) * k) {
    while (padded_ < k) padded_ *= 2;
    threads_ = padded_ < 64 ? 32 : padded_ > 1024 ? 512 : padded_ / 2;
    bytes_ = padded_ * sizeof(Ranked<T>);
    cuda::allow_shared(rank<T>, bytes_);
  }
  void enqueue(const T* centroids, cudaStream_t stream) {
    cuda::transpose(centroids, k_, d_, columns_.data(), stream);
    rank<T><<<k_, threads_, bytes_, stream>>>(columns_.data(), d_, k_, padded_, ranks_.data());
    cuda::check_launch();
  }
  const Ranked<T>* data() const { return ranks_.data(); }

 private:
  int d_, k_, padded_ = 1, threads_ = 32;
  std::size_t bytes_ = 0;
  cuda::Buffer<T> columns_;
  cuda::Buffer<Ranked<T>> ranks_;
};

}  // namespace km::triangle

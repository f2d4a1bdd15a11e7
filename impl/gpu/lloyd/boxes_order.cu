// Splits all points at medians, level by level: a level sorts the points of each run by the dimension in which that run reaches farthest. In a file of its
// own: CUB takes long to compile.
#include "impl/gpu/lloyd/boxes_order.cuh"

#include <cub/device/device_radix_sort.cuh>

#include "bench/device/cuda_host.cuh"

namespace km::boxes {
namespace {

using Key = std::uint64_t;
constexpr int threads = 256, looked_at = 256;  // the second: points of a run that tell its widest dimension

__global__ void number(std::int32_t* order, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i < n) order[i] = static_cast<std::int32_t>(i);
}

/// A warp finds the widest dimension of a run, by `looked_at` of its points.
template <class T>
__global__ void find_widest(const T* __restrict__ points, const std::int32_t* __restrict__ order, std::int64_t n, int d, std::int64_t run,
                            std::uint8_t* widest) {
  const std::int64_t at = (std::int64_t(blockIdx.x) * threads + threadIdx.x) / 32, first = at * run;
  if (first >= n) return;
  const std::int64_t size = min(run, n - first), step = max(size / looked_at, std::int64_t(1));
  T most = -1;
  int best = 0;
  for (int j = 0; j < d; ++j) {
    T high = -cuda::infinity<T>, negative_low = -cuda::infinity<T>;
    for (std::int64_t i = threadIdx.x % 32 * step; i < size; i += 32 * step) {
      const T value = points[std::int64_t(order[first + i]) * d + j];
      high = max(high, value), negative_low = max(negative_low, -value);
    }
    const T width = cuda::max_over_warp(high) + cuda::max_over_warp(negative_low);
    if (width > most) most = width, best = j;
  }
  if (threadIdx.x % 32 == 0) widest[at] = static_cast<std::uint8_t>(best);
}

/// A key has the number of the run above the value, whose bits are made to ascend.
template <class T>
__global__ void make_keys(const T* __restrict__ points, const std::int32_t* __restrict__ order, std::int64_t n, int d, std::int64_t run,
                          const std::uint8_t* __restrict__ widest, Key* keys) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  const std::int64_t at = i / run;
  const unsigned bits = __float_as_uint(static_cast<float>(points[std::int64_t(order[i]) * d + widest[at]]));
  keys[i] = Key(at) << 32 | (bits ^ (bits >> 31 ? 0xFFFFFFFFu : 0x80000000u));
}

}  // namespace

template <class T>
cuda::Buffer<std::int32_t> order_of(const T* points, std::int64_t n, int d, std::int64_t leaf, cudaStream_t stream) {
  cuda::Buffer<Key> keys(n), other_keys(n);
  cuda::Buffer<std::int32_t> order(n), other_order(n);
  cuda::Buffer<std::uint8_t> widest((n + leaf - 1) / leaf);
  cub::DoubleBuffer<Key> sorted_keys(keys.data(), other_keys.data());
  cub::DoubleBuffer<std::int32_t> sorted(order.data(), other_order.data());
  std::size_t most_bytes = 0;
  cuda::check(cub::DeviceRadixSort::SortPairs(nullptr, most_bytes, sorted_keys, sorted, n, 0, 64, stream));
  cuda::Buffer<std::uint8_t> scratch(static_cast<std::int64_t>(most_bytes));

  const unsigned blocks = cuda::blocks(n, threads);
  number<<<blocks, threads, 0, stream>>>(order.data(), n);
  cuda::check_launch();
  std::int64_t run = leaf;
  while (run < n) run *= 2;
  for (; run > leaf; run /= run > 64 * leaf ? 4 : 2) {
    const std::int64_t runs = (n + run - 1) / run;
    find_widest<<<cuda::blocks(runs * 32, threads), threads, 0, stream>>>(points, sorted.Current(), n, d, run, widest.data());
    cuda::check_launch();
    make_keys<<<blocks, threads, 0, stream>>>(points, sorted.Current(), n, d, run, widest.data(), sorted_keys.Current());
    cuda::check_launch();
    std::size_t bytes = most_bytes;
    const int end_bit = 32 + (runs > 1 ? std::ilogb(double(runs - 1)) + 1 : 0);
    cuda::check(cub::DeviceRadixSort::SortPairs(scratch.data(), bytes, sorted_keys, sorted, n, 0, end_bit, stream));
  }
  cuda::check(cudaStreamSynchronize(stream));  // buffers are freed on return
  return sorted.Current() == order.data() ? std::move(order) : std::move(other_order);
}

template cuda::Buffer<std::int32_t> order_of(const float*, std::int64_t, int, std::int64_t, cudaStream_t);
template cuda::Buffer<std::int32_t> order_of(const double*, std::int64_t, int, std::int64_t, cudaStream_t);

}  // namespace km::boxes

// The sort of order.cuh in its own file: CUB takes long to compile.
#include "impl/gpu/triangle/order.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace km::triangle {
namespace {

__global__ void number(std::int32_t* numbers, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] = static_cast<std::int32_t>(i);
}

}  // namespace

Order::Order(std::int64_t n) : sorted_keys_(n), numbers_(n), order_(n) {
  std::size_t bytes = 0;
  cuda::check(cub::DeviceRadixSort::SortPairsDescending(nullptr, bytes, sorted_keys_.data(), sorted_keys_.data(), numbers_.data(), order_.data(),
                                                        static_cast<std::uint32_t>(n)));
  scratch_ = cuda::Buffer<char>(std::max<std::int64_t>(static_cast<std::int64_t>(bytes), 1));
}

void Order::sort(const unsigned* keys, cudaStream_t stream) {
  const std::int64_t n = order_.size();
  number<<<cuda::blocks(n, 256), 256, 0, stream>>>(numbers_.data(), n);
  cuda::check_launch();
  std::size_t bytes = scratch_.bytes();
  cuda::check(cub::DeviceRadixSort::SortPairsDescending(scratch_.data(), bytes, keys, sorted_keys_.data(), numbers_.data(), order_.data(),
                                                        static_cast<std::uint32_t>(n), 0, 32, stream));
}

}  // namespace km::triangle

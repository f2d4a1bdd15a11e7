// wu2011's rearrangement (Algorithm 4): the points by decreasing work, and laid out so, once. The sort is CUB's; what moves the points is a gather.
// Cost: a radix sort of n pairs of 32 bits, points read and written once, by single values (columns) or rows.
#pragma once

#include "bench/device/cuda.cuh"

namespace km::triangle {

constexpr double steady = 0.01;  // change of the mean M from one iteration to the next that ends epoch 1

/// Numbers of n points by decreasing key; points of one key keep their order.
class Order {
 public:
  explicit Order(std::int64_t n);
  /// keys: n, left as they are.
  void sort(const unsigned* keys, cudaStream_t stream);
  const std::int32_t* data() const { return order_.data(); }

 private:
  cuda::Buffer<unsigned> sorted_keys_;
  cuda::Buffer<std::int32_t> numbers_, order_;
  cuda::Buffer<char> scratch_;
};

/// Point order[i] to place i; points are d x n.
template <class T>
__global__ void gather_columns(const T* __restrict__ from, const std::int32_t* __restrict__ order, std::int64_t n, int d, T* to) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::int64_t source = order[i];
  for (int j = 0; j < d; ++j) to[j * n + i] = from[j * n + source];
}

/// The same for rows of d values; labels are rows of one.
template <class T>
__global__ void gather_rows(const T* __restrict__ from, const std::int32_t* __restrict__ order, std::int64_t n, int d, T* to) {
  for (std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < n * d; at += std::int64_t(gridDim.x) * blockDim.x)
    to[at] = from[std::int64_t(order[at / d]) * d + at % d];
}

/// Labels back to the order in which the points were given.
template <class Label>
__global__ void scatter(const Label* __restrict__ from, const std::int32_t* __restrict__ order, std::int64_t n, Label* to) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) to[order[i]] = from[i];
}

}  // namespace km::triangle

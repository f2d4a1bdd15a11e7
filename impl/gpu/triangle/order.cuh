// wu2011's rearrangement (Algorithm 4): sorts the points by decreasing work, once, with CUB's sort and a gather.
// Cost: a radix sort of n 32-bit pairs; points read and written once, by value (columns) or by row.
#pragma once

#include "bench/device/cuda.cuh"

namespace km::triangle {

constexpr double steady = 0.01;  // change of the mean M between iterations that ends epoch 1

/// Indices of n points by decreasing key; the sort is stable.
class Order {
 public:
  explicit Order(std::int64_t n);
  /// keys: n, unchanged.
  void sort(const unsigned* keys, cudaStream_t stream);
  const std::int32_t* data() const { return order_.data(); }

 private:
  cuda::Buffer<unsigned> sorted_keys_;
  cuda::Buffer<std::int32_t> numbers_, order_;
  cuda::Buffer<char> scratch_;
};

/// Moves point order[i] to place i; points are d x n.
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

/// Returns labels to the points' original order.
template <class Label>
__global__ void scatter(const Label* __restrict__ from, const std::int32_t* __restrict__ order, std::int64_t n, Label* to) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) to[order[i]] = from[i];
}

}  // namespace km::triangle

// An order of the points in which every aligned run of `leaf` of them lies in a small box: that of a kd-tree's leaves.
#pragma once

#include <cstdint>

#include "bench/device/cuda.cuh"

namespace km::boxes {

/// Returns the points' order. points: n x d, row-major, n below 2^31. Synchronizes.
/// Cost: log2(n / leaf) sorts of n keys of 8 bytes at most, two levels at once while runs are long. Memory: 24 bytes a point until it returns.
template <class T>
cuda::Buffer<std::int32_t> order_of(const T* points, std::int64_t n, int d, std::int64_t leaf, cudaStream_t stream);

}  // namespace km::boxes

// Limits of the selected device and of kernels on it.
#pragma once

#include <algorithm>

#include "bench/device/cuda.cuh"

namespace km::cuda {

inline int attribute(cudaDeviceAttr wanted) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&value, wanted, device));
  return value;
}

inline int multiprocessors() { return attribute(cudaDevAttrMultiProcessorCount); }

/// Allows a kernel so many bytes of dynamic shared memory.
template <class Kernel>
void allow_shared(Kernel kernel, std::int64_t bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

/// Number of blocks that the whole device runs at once, at least one per multiprocessor.
template <class Kernel>
unsigned resident_blocks(Kernel kernel, int threads, std::size_t shared_bytes = 0) {
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared_bytes));
  return static_cast<unsigned>(multiprocessors() * std::max(each, 1));
}

}  // namespace km::cuda

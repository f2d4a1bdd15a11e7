// Host side of the GPU's implementations: buffers set on a stream, limits of the device and of kernels.
#pragma once

#include <algorithm>

#include "bench/device/cuda_lloyd.cuh"

namespace km::cuda {

/// Sets every byte. Buffers without memory stay as they are.
template <class T>
void set_bytes(Buffer<T>& buffer, int byte, cudaStream_t stream) {
  if (buffer.size() > 0) check(cudaMemsetAsync(buffer.data(), byte, buffer.bytes(), stream));
}

template <class... Ts>
void clear(cudaStream_t stream, Buffer<Ts>&... buffers) {
  (set_bytes(buffers, 0, stream), ...);
}

/// Fills with NaN, or with no_label.
template <class... Ts>
void poison(cudaStream_t stream, Buffer<Ts>&... buffers) {
  (set_bytes(buffers, 0xFF, stream), ...);
}

/// The first `count` values, on the host. Waits.
template <class V, class Vector = std::vector<V>>
Vector fetched(const Buffer<V>& buffer, cudaStream_t stream, std::int64_t count) {
  Vector values(static_cast<std::size_t>(count));
  download(values.data(), buffer.data(), values.size() * sizeof(V), stream);
  return values;
}
template <class V>
std::vector<V> fetched(const Buffer<V>& buffer, cudaStream_t stream) {
  return fetched(buffer, stream, buffer.size());
}

/// Launches a kernel whose blocks wait for each other.
template <class Kernel, class... Arguments>
void launch_together(Kernel kernel, unsigned grid, int block, std::size_t shared_bytes, cudaStream_t stream, Arguments&... arguments) {
  void* all[] = {&arguments...};
  check(
      cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(grid), dim3(static_cast<unsigned>(block)), all, shared_bytes, stream));
}

/// Restores the thread's device at the end of its scope.
class KeepDevice {
 public:
  KeepDevice() { static_cast<void>(cudaGetDevice(&device_)); }
  ~KeepDevice() { static_cast<void>(cudaSetDevice(device_)); }
  KeepDevice(const KeepDevice&) = delete;

 private:
  int device_ = 0;
};

inline int attribute(cudaDeviceAttr wanted) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, wanted, current_device()));
  return value;
}

/// The same, or `otherwise` without a device.
inline int attribute_or(cudaDeviceAttr wanted, int otherwise) {
  int value = 0;
  if (device::count() > 0 && cudaDeviceGetAttribute(&value, wanted, current_device()) == cudaSuccess) return value;
  static_cast<void>(cudaGetLastError());
  return otherwise;
}

/// Most shared memory of a block; without a device that of compute capability 9.0.
inline int most_shared_bytes() { return attribute_or(cudaDevAttrMaxSharedMemoryPerBlockOptin, 227 * 1024); }

inline int multiprocessors() { return attribute(cudaDevAttrMultiProcessorCount); }

/// `effective` of a grid with at most one block per multiprocessor.
inline std::int64_t within_multiprocessors(std::int64_t blocks, const ProblemShape&, int) {
  return std::min<std::int64_t>(blocks, attribute_or(cudaDevAttrMultiProcessorCount, 132));
}

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

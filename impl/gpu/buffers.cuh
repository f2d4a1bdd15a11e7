// Buffers set on a stream.
#pragma once

#include "bench/device/cuda.cuh"

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

}  // namespace km::cuda

// Copies between host and GPU, timed apart from the solver.
#pragma once

#include <chrono>
#include <vector>

#include "bench/contract/chain.hpp"
#include "bench/device/cuda.cuh"

namespace km::spectral {

/// Seconds of the copies below since the solver began.
inline double transfer_s = 0;

template <class Copy>
void timed_copy(Copy copy) {
  cuda::check(cudaDeviceSynchronize());  // kernels before it
  const auto start = std::chrono::steady_clock::now();
  cuda::check(copy());
  transfer_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
cuda::Buffer<T> on_gpu(const std::vector<T>& host) {
  cuda::Buffer<T> copy(std::ssize(host));
  timed_copy([&] { return cudaMemcpy(copy.data(), host.data(), copy.bytes(), cudaMemcpyHostToDevice); });
  return copy;
}

template <class T>
std::vector<T> on_host(const cuda::Buffer<T>& buffer, std::size_t count) {
  std::vector<T> copy(count);
  timed_copy([&] { return cudaMemcpy(copy.data(), buffer.data(), count * sizeof(T), cudaMemcpyDeviceToHost); });
  return copy;
}

/// A solver's pairs with the time of its copies.
template <class Solve>
Eigenpairs with_transfers(Solve solve) {
  transfer_s = 0;
  Eigenpairs pairs = solve();
  pairs.transfer_s = transfer_s;
  return pairs;
}

}  // namespace km::spectral

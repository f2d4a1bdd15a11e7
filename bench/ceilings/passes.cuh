// Passes of a measurement: what each ceiling is made of.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "bench/device/cuda_host.cuh"

namespace km {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int block = 256;
constexpr std::int64_t mebibyte = 1 << 20, gibibyte = 1 << 30;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Returns the minimum of `pass`: at least five passes, and as many as fit in a fifth of a second.
template <class Pass>
double least(Pass pass) {
  double best = cuda::infinity<double>;
  const auto start = Clock::now();
  for (int made = 0; made < 5 || seconds_since(start) < 0.2; ++made) best = std::min(best, pass());
  return best;
}

/// Returns the minimum event time of the work that `enqueue` puts on the stream, in seconds.
template <class Enqueue>
double least_event_s(const cuda::Stream& stream, Enqueue enqueue) {
  cuda::Event start, stop;
  return least([&] {
    start.record(stream);
    enqueue();
    stop.record(stream);
    return cuda::elapsed(start, stop);
  });
}

/// Returns the best rate of passes that `enqueue` puts on the stream, in 10^9 a second. amount: bytes or operations of a pass.
template <class Enqueue>
double giga_per_s(const cuda::Stream& stream, double amount, Enqueue enqueue) {
  return amount / least_event_s(stream, enqueue) * 1e-9;
}

/// Returns `wanted` bytes, or what `share` of the free memory holds, in whole MiB.
std::int64_t affordable(std::int64_t wanted, int share) {
  std::size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total));
  const auto bytes = std::min(wanted, static_cast<std::int64_t>(free) / share) / mebibyte * mebibyte;
  if (bytes == 0) throw std::runtime_error("no device memory is free");
  return bytes;
}

/// Uniform in [-1, 1), from the index alone. Constant data would flatter a chip limited by power.
template <class T>
__global__ void random_kernel(T* values, std::int64_t size) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  auto bits = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15;
  bits = (bits ^ bits >> 32) * 0xD6E8FEB86659FD93;
  values[i] = T(static_cast<float>(static_cast<std::int32_t>(bits >> 32)) * 0x1p-31f);
}

template <class T>
cuda::Buffer<T> random_buffer(std::int64_t size, cudaStream_t stream) {
  cuda::Buffer<T> values(size);
  random_kernel<<<cuda::blocks(size, block), block, 0, stream>>>(values.data(), size);
  cuda::check_launch();
  return values;
}

}  // namespace
}  // namespace km

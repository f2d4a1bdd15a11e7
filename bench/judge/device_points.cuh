// The judge's points on the device, column-major: they stay from one call to the next, for a sweep judges many runs on the same points.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "bench/device/cuda.cuh"
#include "bench/judge/judge_device.hpp"

namespace km::judging {

constexpr int threads = 256;

/// 4096 of the values, evenly spaced, and the ends: tells other points at the same address from these.
template <class T>
std::uint64_t fingerprint(std::span<const T> points) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const std::size_t step = std::max<std::size_t>(1, points.size() / 4096);
  const auto add = [&](T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    hash = (hash ^ bits) * 0x100000001b3;
  };
  for (std::size_t at = 0; at < points.size(); at += step) add(points[at]);
  if (!points.empty()) add(points.back());
  return hash;
}

template <class T>
struct CachedPoints {
  const T* from;
  std::size_t size;
  int d;
  std::uint64_t hash;
  cuda::Buffer<T> columns;
};

template <class T>
std::optional<CachedPoints<T>>& cache() {
  static std::optional<CachedPoints<T>> points;
  return points;
}

inline void release_caches() {
  cache<float>().reset();
  cache<double>().reset();
}

template <class T>
const T* columns_of(std::span<const T> points, const ProblemShape& shape, cudaStream_t stream) {
  auto& cached = cache<T>();
  const auto hash = fingerprint(points);
  if (!cached || cached->from != points.data() || cached->size != points.size() || cached->d != shape.d || cached->hash != hash) {
    release_caches();
    const auto size = static_cast<std::int64_t>(points.size());
    cuda::Buffer<T> rows(size), columns(size);
    cuda::upload(rows, points, stream);
    cuda::transpose(rows.data(), shape.n, shape.d, columns.data(), stream);
    cuda::check(cudaStreamSynchronize(stream));
    cached.emplace(points.data(), points.size(), shape.d, hash, std::move(columns));
  }
  return cached->columns.data();
}

/// While the judge works its points stay; afterwards they go first when memory is short.
struct Release {
  Release() { cuda::set_release_caches(nullptr); }
  ~Release() { cuda::set_release_caches(release_caches); }
};

template <class T>
cuda::Buffer<double> doubles(std::span<const T> values, cudaStream_t stream) {
  const std::vector<double> converted(values.begin(), values.end());
  cuda::Buffer<double> buffer(static_cast<std::int64_t>(converted.size()));
  cuda::upload(buffer, std::span<const double>(converted), stream);
  return buffer;
}

/// Run f on the device; false where there is none or its memory does not suffice.
template <class F>
bool on_device(F f) {
  if (!device::available()) return false;
  try {
    const Release release;
    f();
    return true;
  } catch (const device::Error& error) {
    if (!error.out_of_memory) throw;
    release_caches();
    return false;
  }
}

template <class V>
std::vector<V> fetched(const cuda::Buffer<V>& buffer, cudaStream_t stream, std::int64_t size = -1) {
  std::vector<V> values(static_cast<std::size_t>(size < 0 ? buffer.size() : size));
  cuda::download(values.data(), buffer.data(), values.size() * sizeof(V), stream);
  return values;
}

template <class V>
cuda::Buffer<V> zeros(std::int64_t size, cudaStream_t stream) {
  cuda::Buffer<V> buffer(size);
  cuda::check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream));
  return buffer;
}

inline __device__ double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xFFFFFFFF, value, offset);
  return value;
}

/// Adds each thread's value of a block of `threads`; the sum is thread 0's.
inline __device__ double block_sum(double value) {
  __shared__ double warps[threads / 32];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int warp = 1; warp < threads / 32; ++warp) value += warps[warp];
  return value;
}

}  // namespace km::judging

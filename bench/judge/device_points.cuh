// Caches the judge's points on the device, column-major, because a sweep judges many runs on the same points. Points that do not fit are uploaded in
// chunks at every call.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "bench/device/cuda.cuh"
#include "bench/judge/judge_device.hpp"

namespace km::judging {

constexpr int threads = 256;
constexpr std::int64_t chunk_bytes = std::int64_t{512} << 20;

/// Hashes 4096 evenly spaced values and the last one. Detects other points at the same address.
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

/// Bytes of GPU memory that the judge may use (set_judge_budget); 0: 90 % of free memory.
inline std::int64_t budget = 0;

inline std::int64_t budget_bytes() {
  if (budget > 0) return budget;
  std::size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free / 10 * 9);
}

/// Calls f(columns, first, n) for points first to first + n - 1, as d x n. One call if all points fit, else one per chunk.
template <class T, class F>
void for_columns(const Problem<T>& p, cudaStream_t stream, F f) {
  auto& cached = cache<T>();
  const auto hash = fingerprint(p.points);
  if (cached && cached->from == p.points.data() && cached->size == p.points.size() && cached->d == p.d && cached->hash == hash) {
    f(cached->columns.data(), std::int64_t{0}, p.n);
    return;
  }
  release_caches();
  const std::int64_t point_bytes = 2 * std::int64_t(p.d) * sizeof(T) + 16;  // rows and columns, labels and list
  const bool fits = p.n <= budget_bytes() / point_bytes;
  const std::int64_t most = fits ? p.n : std::clamp<std::int64_t>(std::min(budget_bytes() / 2, chunk_bytes) / point_bytes, 1, p.n);
  cuda::Buffer<T> rows(most * p.d), columns(most * p.d);
  for (std::int64_t first = 0; first < p.n; first += most) {
    const std::int64_t n = std::min(most, p.n - first);
    const auto values = p.points.subspan(static_cast<std::size_t>(first * p.d), static_cast<std::size_t>(n * p.d));
    cuda::upload(rows.data(), values.data(), values.size_bytes(), stream);  // waits for all work on the stream
    cuda::transpose(rows.data(), n, p.d, columns.data(), stream);
    if (!fits) f(columns.data(), first, n);
  }
  cuda::check(cudaStreamSynchronize(stream));
  if (!fits) return;
  rows = {};
  f(cached.emplace(p.points.data(), p.points.size(), p.d, hash, std::move(columns)).columns.data(), std::int64_t{0}, p.n);
}

/// Keeps the judge's points during its work. Afterwards they may be released when memory is short.
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

/// Runs f on the device. Returns false without a device or without enough memory.
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

/// Sums `value` over a block of `threads`; thread 0 gets the sum.
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

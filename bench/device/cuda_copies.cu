// Copies between pageable host memory and the device. One thread reaches a fraction of the bus's rate, so several threads copy, each through two
// page-locked chunks.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include "bench/device/cuda.cuh"

namespace km::cuda {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{2} << 20;

/// One thread's two pinned chunks: one is filled while the other is on the bus.
struct Lane {
  PinnedBuffer<char> chunks{2 * std::int64_t{chunk_bytes}};
  Stream stream;
  std::array<Event, 2> done{Event(cudaEventDisableTiming), Event(cudaEventDisableTiming)};

  char* chunk(std::size_t turn) { return chunks.data() + turn % 2 * chunk_bytes; }
};

struct Range {
  std::size_t offset, bytes;
};

/// Returns the chunks `lane`, `lane + lanes`, ... of `bytes`.
std::vector<Range> chunks_of(std::size_t bytes, std::size_t lane, std::size_t lanes) {
  std::vector<Range> ranges;
  for (std::size_t offset = lane * chunk_bytes; offset < bytes; offset += lanes * chunk_bytes)
    ranges.push_back({offset, std::min(chunk_bytes, bytes - offset)});
  return ranges;
}

void upload_part(Lane& lane, char* device, const char* host, const std::vector<Range>& ranges) {
  for (std::size_t turn = 0; turn < ranges.size(); ++turn) {
    const auto [offset, bytes] = ranges[turn];
    if (turn >= 2) lane.done[turn % 2].synchronize();
    std::memcpy(lane.chunk(turn), host + offset, bytes);
    check(cudaMemcpyAsync(device + offset, lane.chunk(turn), bytes, cudaMemcpyHostToDevice, lane.stream));
    lane.done[turn % 2].record(lane.stream);
  }
  lane.stream.synchronize();
}

void download_part(Lane& lane, char* host, const char* device, const std::vector<Range>& ranges) {
  const auto fetch = [&](std::size_t turn) {
    if (turn >= ranges.size()) return;
    const auto [offset, bytes] = ranges[turn];
    check(cudaMemcpyAsync(lane.chunk(turn), device + offset, bytes, cudaMemcpyDeviceToHost, lane.stream));
    lane.done[turn % 2].record(lane.stream);
  };
  fetch(0);
  for (std::size_t turn = 0; turn < ranges.size(); ++turn) {
    fetch(turn + 1);
    lane.done[turn % 2].synchronize();
    std::memcpy(host + ranges[turn].offset, lane.chunk(turn), ranges[turn].bytes);
  }
}

/// Returns at least `wanted` lanes of the device. Keeps them, because page-locking costs more than a copy.
std::vector<Lane>& lanes_of(int device, std::size_t wanted) {
  static thread_local int device_of_pool = -1;
  static thread_local std::vector<Lane> pool;
  if (std::exchange(device_of_pool, device) != device) pool.clear();
  while (pool.size() < wanted) pool.emplace_back();
  return pool;
}

/// Calls copy(lane, ranges) on several threads that share the chunks.
template <class Copy>
void staged(std::size_t bytes, Copy copy) {
  int device = 0;
  check(cudaGetDevice(&device));
  const std::size_t wanted = (bytes + 2 * chunk_bytes - 1) / (2 * chunk_bytes);
  const std::size_t lanes = std::clamp<std::size_t>(wanted, 1, std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  std::vector<Lane>& pool = lanes_of(device, lanes);
  std::vector<std::exception_ptr> failures(lanes);
  const auto work = [&](std::size_t lane) {
    try {
      check(cudaSetDevice(device));
      copy(pool[lane], chunks_of(bytes, lane, lanes));
    } catch (...) {
      failures[lane] = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t lane = 1; lane < lanes; ++lane) threads.emplace_back(work, lane);
  work(0);
  threads.clear();  // joins
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

bool pageable(const void* host) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, host));
  return attributes.type == cudaMemoryTypeUnregistered;
}

/// Copies after all work on the stream. The driver copies small or page-locked memory; for the rest several threads call `copy_part`.
template <class CopyPart>
void copy(void* to, const void* from, const void* host, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, CopyPart copy_part) {
  check(cudaStreamSynchronize(stream));
  const bool small = bytes <= 2 * chunk_bytes;
  if (small || !pageable(host)) {
    check(cudaMemcpyAsync(to, from, bytes, kind, stream));
    check(cudaStreamSynchronize(stream));
  } else {
    staged(bytes, [&](Lane& lane, const auto& ranges) { copy_part(lane, static_cast<char*>(to), static_cast<const char*>(from), ranges); });
  }
}

}  // namespace

void upload(void* device, const void* host, std::size_t bytes, cudaStream_t stream) {
  copy(device, host, host, bytes, cudaMemcpyHostToDevice, stream, upload_part);
}

void download(void* host, const void* device, std::size_t bytes, cudaStream_t stream) {
  copy(host, device, host, bytes, cudaMemcpyDeviceToHost, stream, download_part);
}

}  // namespace km::cuda

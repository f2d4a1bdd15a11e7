// The GPU's memory and its bus: copies, reads, transfers from and to the host.
#pragma once

#include <future>
#include <memory>
#include <vector>

#include "bench/ceilings/passes.cuh"

namespace km {
namespace {

/// Buffers far larger than the L2 cache, so that passes share almost nothing.
std::int64_t memory_bytes() { return affordable(4 * gibibyte, 3); }

/// A block reads tiles of loads x blockDim packs. All loads of a thread are in flight before the first use. `size` is whole tiles.
template <int loads>
__global__ void read_kernel(const uint4* __restrict__ from, std::int64_t size, unsigned* sink) {
  const std::int64_t tile = std::int64_t{loads} * blockDim.x;
  unsigned bits = 0;
  for (std::int64_t at = blockIdx.x * tile + threadIdx.x; at < size; at += gridDim.x * tile) {
    uint4 packs[loads];
#pragma unroll
    for (int load = 0; load < loads; ++load) packs[load] = from[at + load * std::int64_t{blockDim.x}];
#pragma unroll
    for (int load = 0; load < loads; ++load) bits ^= packs[load].x ^ packs[load].y ^ packs[load].z ^ packs[load].w;
  }
  if (bits == 0x9E3779B9) *sink = bits;  // keeps the loads; one thread in four billion writes
}

/// The better of one block per tile and of resident blocks that loop over tiles.
template <int loads>
double read_gbs_by(const cuda::Stream& stream, const cuda::Buffer<float>& from, unsigned* sink) {
  const auto packs = static_cast<std::int64_t>(from.bytes() / sizeof(uint4));
  double best = 0;
  for (const unsigned grid : {cuda::blocks(packs, std::int64_t{loads} * block), cuda::resident_blocks(read_kernel<loads>, block)})
    best = std::max(best, giga_per_s(stream, double(from.bytes()), [&] {
                      read_kernel<loads><<<grid, block, 0, stream>>>(reinterpret_cast<const uint4*>(from.data()), packs, sink);
                      cuda::check_launch();
                    }));
  return best;
}

/// GB/s between page-locked host memory and the device.
double host_copy_gbs(const cuda::Stream& stream, cudaMemcpyKind kind) {
  cuda::Buffer<char> on_device(affordable(gibibyte, 2));
  cuda::PinnedBuffer<char> on_host(on_device.size());
  const bool up = kind == cudaMemcpyHostToDevice;
  void* const to = up ? on_device.data() : on_host.data();
  const void* const from = up ? on_host.data() : on_device.data();
  return giga_per_s(stream, double(on_device.bytes()), [&] { cuda::check(cudaMemcpyAsync(to, from, on_device.bytes(), kind, stream)); });
}

double copy_gbs(const cuda::Stream& stream) {
  const auto size = memory_bytes() / std::int64_t{sizeof(float)};
  const auto from = random_buffer<float>(size, stream);
  cuda::Buffer<float> to(size);
  return giga_per_s(stream, 2.0 * double(from.bytes()),
                    [&] { cuda::check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream)); });
}

double read_gbs(const cuda::Stream& stream) {
  const auto from = random_buffer<float>(memory_bytes() / std::int64_t{sizeof(float)}, stream);
  cuda::Buffer<unsigned> sink(1);
  return std::max(read_gbs_by<4>(stream, from, sink.data()), read_gbs_by<8>(stream, from, sink.data()));
}

double upload_gbs(const cuda::Stream& stream) { return host_copy_gbs(stream, cudaMemcpyHostToDevice); }
double download_gbs(const cuda::Stream& stream) { return host_copy_gbs(stream, cudaMemcpyDeviceToHost); }

/// GB/s from page-locked host memory to all GPUs at once, each its own part. Leaves another device selected.
double upload_to_all() {
  struct Card {
    cuda::Stream stream{};
    cuda::Buffer<char> on_device{affordable(gibibyte, 2)};
    cuda::PinnedBuffer<char> on_host{on_device.size()};
  };
  std::vector<std::unique_ptr<Card>> cards;
  double bytes = 0;
  for (int device = 0; device < device::count(); ++device) {
    cuda::check(cudaSetDevice(device));
    bytes += double(cards.emplace_back(std::make_unique<Card>())->on_device.bytes());
  }
  const double seconds = least([&] {
    const auto start = Clock::now();
    for (int device = 0; const auto& card : cards) {
      cuda::check(cudaSetDevice(device++));
      cuda::check(cudaMemcpyAsync(card->on_device.data(), card->on_host.data(), card->on_device.bytes(), cudaMemcpyHostToDevice, card->stream));
    }
    for (const auto& card : cards) card->stream.synchronize();
    return seconds_since(start);
  });
  return bytes / seconds * 1e-9;
}

/// On a thread of its own: the selected device is the thread's.
double upload_all_gbs(const cuda::Stream&) { return std::async(std::launch::async, upload_to_all).get(); }

}  // namespace
}  // namespace km

// Measures FMA rates, and warms up with such work.
#include "bench/ceilings/ceilings.cuh"

namespace km::ceilings {
namespace {

constexpr int chains = 8, rounds = 1 << 16;

/// Independent chains of dependent FMAs: enough to hide an FMA's latency with few warps.
template <class T>
__global__ void fma_kernel(T factor, T term, T* sink) {
  T values[chains];
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) values[chain] = T(threadIdx.x + chain) / 3;
#pragma unroll 32
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int chain = 0; chain < chains; ++chain) values[chain] = fma(values[chain], factor, term);
  T sum = 0;
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) sum += values[chain];
  if (sum == T(0.123456789)) *sink = sum;  // prevents dead-code elimination
}

template <class T>
void enqueue_fma(cudaStream_t stream, unsigned grid, T* sink) {
  fma_kernel<<<grid, block, 0, stream>>>(T(-1), T(1) / 7, sink);  // values alternate: neither convergence nor overflow
  cuda::check_launch();
}

/// An FMA counts two flops.
template <class T>
double fma_gflops(const cuda::Stream& stream) {
  cuda::Buffer<T> sink(1);
  const unsigned grid = resident_blocks(fma_kernel<T>);
  const double seconds = least_event_s(stream, [&] { enqueue_fma(stream, grid, sink.data()); });
  return 2.0 * chains * rounds * block * grid / seconds * 1e-9;
}

}  // namespace

double fma_fp32_gflops(const cuda::Stream& stream) { return fma_gflops<float>(stream); }
double fma_fp64_gflops(const cuda::Stream& stream) { return fma_gflops<double>(stream); }

double warm_up(const cuda::Stream& stream) {
  cuda::Buffer<float> sink(1);
  const unsigned grid = resident_blocks(fma_kernel<float>);
  const auto start = Clock::now();
  while (seconds_since(start) < 0.5) {
    enqueue_fma(stream, grid, sink.data());
    stream.synchronize();
  }
  return seconds_since(start);
}

}  // namespace km::ceilings

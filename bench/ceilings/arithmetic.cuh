// The GPU's arithmetic: plain units, tensor cores.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>

#include "bench/ceilings/passes.cuh"
#include "bench/device/toolkit.hpp"

namespace km {
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
  const unsigned grid = cuda::resident_blocks(fma_kernel<T>, block);
  return giga_per_s(stream, 2.0 * chains * rounds * block * grid, [&] { enqueue_fma(stream, grid, sink.data()); });
}

/// Works until the clocks have risen from idle. Returns the seconds.
double warm_up(const cuda::Stream& stream) {
  cuda::Buffer<float> sink(1);
  const unsigned grid = cuda::resident_blocks(fma_kernel<float>, block);
  const auto start = Clock::now();
  while (seconds_since(start) < 0.5) {
    enqueue_fma(stream, grid, sink.data());
    stream.synchronize();
  }
  return seconds_since(start);
}

/// cuBLAS's product of square matrices of one type, accumulated in fp32.
template <class T>
double tensor_gflops(const cuda::Stream& stream, cudaDataType type, cublasComputeType_t compute) {
  // cublasGemmEx, of which the header has an overload for older types
  using Gemm = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*, cudaDataType, int,
                                  const void*, cudaDataType, int, const void*, void*, cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
  constexpr int side = 8192;
  const float one = 1, zero = 0;
  if (cuda::attribute(cudaDevAttrComputeCapabilityMajor) < 8) throw std::runtime_error("TF32 and BF16 need compute capability 8.0");
  if (!cuda::cublas()) throw std::runtime_error("cuBLAS was not found: put its folder on LD_LIBRARY_PATH");
  cuda::Owned<cublasHandle_t, cuda::cublas> handle("cublasDestroy_v2");
  cuda::call<decltype(&cublasCreate_v2)>(cuda::cublas(), "cublasCreate_v2", handle.out());
  cuda::call<decltype(&cublasSetStream_v2)>(cuda::cublas(), "cublasSetStream_v2", handle, stream);
  const auto a = random_buffer<T>(side * side, stream), b = random_buffer<T>(side * side, stream);
  cuda::Buffer<T> c(side * side);
  return giga_per_s(stream, 2.0 * side * side * side, [&] {
    cuda::call<Gemm>(cuda::cublas(), "cublasGemmEx", handle, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, a.data(), type, side, b.data(), type,
                     side, &zero, c.data(), type, side, compute, CUBLAS_GEMM_DEFAULT);
  });
}

double tensor_tf32_gflops(const cuda::Stream& stream) { return tensor_gflops<float>(stream, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32); }
double tensor_bf16_gflops(const cuda::Stream& stream) { return tensor_gflops<__nv_bfloat16>(stream, CUDA_R_16BF, CUBLAS_COMPUTE_32F); }

}  // namespace
}  // namespace km

// Measures the assumption of the screen's margin (screen_margin.cuh). A tensor core's sum of K products of fp16 values, kept in fp32, is off by less
// than K 2^-23 |x| |c|. Tries both instructions on drawn values and on the worst case of cutting addends to the largest exponent. That is one great
// product with others just below the cut. Skips without a GPU that has the instruction.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "bench/device/cuda.cuh"
#include "bench/device/device.hpp"
#include "impl/gpu/lloyd/ampere.cuh"
#include "impl/gpu/lloyd/hopper.cuh"
#include "impl/gpu/lloyd/screen_halves.cuh"

namespace km {
namespace {

constexpr int rows = 64, columns = 32, steps = 8, depth = steps * 16;

/// sums: rows x columns. a: fragments as halve_points lays them out; b: 8 x 8 tiles as ImageLayout lays them out. One block of 128 threads.
template <class Multiply>
__device__ void sum_products(const uint4* a, const uint4* b, float* sums, Multiply multiply) {
  __shared__ alignas(128) uint4 tile[columns * depth / 8];
  const int t = threadIdx.x, lane = t % 32;
  for (int at = t; at < columns * depth / 8; at += 128) tile[at] = b[at];
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");  // wgmma reads past the cache that stores go to
#endif
  __syncthreads();
  std::uint32_t x[steps * 4];
  for (int s = 0; s < steps; ++s) {
    const uint4 part = a[s * 128 + t];
    x[s * 4] = part.x, x[s * 4 + 1] = part.y, x[s * 4 + 2] = part.z, x[s * 4 + 3] = part.w;
  }
  float acc[columns / 2] = {};
  multiply(acc, x, hopper::shared_address(tile));
  for (int u = 0; u < columns / 2; ++u) sums[(t / 32 * 16 + lane / 4 + u % 4 / 2 * 8) * columns + u / 4 * 8 + lane % 4 * 2 + u % 2] = acc[u];
}

__global__ void by_wgmma(const uint4* a, const uint4* b, float* sums) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  sum_products(a, b, sums, [](float(&acc)[columns / 2], std::uint32_t(&x)[steps * 4], std::uint32_t at) {
    hopper::multiply_begin();
#pragma unroll
    for (int s = 0; s < steps; ++s) hopper::multiply(acc, x + s * 4, hopper::tile_at(at + s * columns * 32, columns), s > 0);
    hopper::multiply_end(acc, x);
  });
#endif
}

__global__ void by_mma(const uint4* a, const uint4* b, float* sums) {
#if __CUDA_ARCH__ >= 800
  sum_products(a, b, sums, [](float(&acc)[columns / 2], std::uint32_t(&x)[steps * 4], std::uint32_t at) {
#pragma unroll
    for (int s = 0; s < steps; ++s)
#pragma unroll
      for (int pair = 0; pair < columns / 16; ++pair) {
        const int lane = threadIdx.x % 32;
        std::uint32_t tiles[4];
        ampere::load_tiles(tiles, at + ((s * 2 + lane / 8 % 2) * columns + pair * 16 + lane / 16 * 8 + lane % 8) * 16);
        ampere::multiply(acc + pair * 8, x + s * 4, tiles);
        ampere::multiply(acc + pair * 8 + 4, x + s * 4, tiles + 2);
      }
  });
#endif
}

/// rows points and columns centroids of `depth` dimensions.
struct Operands {
  std::vector<__half> points = std::vector<__half>(rows * depth), centroids = std::vector<__half>(columns * depth);

  /// Normal values.
  static Operands drawn(int seed) {
    Operands made;
    std::mt19937 random(seed);
    std::normal_distribution<float> value;
    for (auto* side : {&made.points, &made.centroids})
      for (__half& x : *side) x = __float2half(value(random));
    return made;
  }

  /// Dimension `at` makes a product of 2^24, all others products from 2^2 down to 2^-10, a hair less than a power of two, or as much negative.
  static Operands worst(int at, bool signs) {
    Operands made;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < depth; ++j) made.points[i * depth + j] = __float2half(j == at ? 4096.0f : std::ldexp(1.0f, -(i % 8)));
    for (int c = 0; c < columns; ++c)
      for (int j = 0; j < depth; ++j)
        made.centroids[c * depth + j] = __float2half(j == at ? 4096.0f : std::ldexp(signs && j % 2 ? -0x1.FFCp1f : 0x1.FFCp1f, -(c % 4)));
    return made;
  }

  std::vector<__half> fragments() const {  // of one tile, as halve_points
    std::vector<__half> out;
    for (int s = 0; s < steps; ++s)
      for (int t = 0; t < 128; ++t)
        for (int u = 0; u < 8; ++u)
          out.push_back(points[(t / 32 * 16 + t % 32 / 4 + u % 4 / 2 * 8) * depth + s * 16 + t % 4 * 2 + u % 2 + u / 4 * 8]);
    return out;
  }
  std::vector<__half> tiles() const {
    std::vector<__half> out(centroids.size());
    for (int c = 0; c < columns; ++c)
      for (int j = 0; j < depth; ++j) out[(j / 8 * columns + c) * 8 + j % 8] = centroids[c * depth + j];
    return out;
  }
};

/// The greatest error of `kernel`'s sums, in K 2^-23 |x| |c|.
double greatest_error(void (*kernel)(const uint4*, const uint4*, float*), const Operands& operands) {
  const auto fragments = operands.fragments(), tiles = operands.tiles();
  cuda::Buffer<uint4> a(fragments.size() / 8), b(tiles.size() / 8);
  cuda::Buffer<float> sums(rows * columns);
  cuda::check(cudaMemcpy(a.data(), fragments.data(), a.bytes(), cudaMemcpyHostToDevice));
  cuda::check(cudaMemcpy(b.data(), tiles.data(), b.bytes(), cudaMemcpyHostToDevice));
  cuda::check(cudaMemset(sums.data(), 0xFF, sums.bytes()));
  kernel<<<1, 128>>>(a.data(), b.data(), sums.data());
  cuda::check_launch();
  std::vector<float> made(rows * columns);
  cuda::check(cudaMemcpy(made.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost));

  double greatest = 0;
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < columns; ++c) {
      double exact = 0, x2 = 0, c2 = 0;
      for (int j = 0; j < depth; ++j) {
        const double x = __half2float(operands.points[i * depth + j]), y = __half2float(operands.centroids[c * depth + j]);
        exact += x * y, x2 += x * x, c2 += y * y;
      }
      const double error = std::abs(made[i * columns + c] - exact) / (depth * 0x1p-23 * std::sqrt(x2 * c2));
      greatest = error <= greatest ? greatest : error;  // NaN stays
    }
  return greatest;
}

void expect_within_the_bound(void (*kernel)(const uint4*, const uint4*, float*), int major, int last_major) {
  if (!device::available()) GTEST_SKIP() << device::unavailable();
  int device = 0, here = 0;
  cuda::check(cudaGetDevice(&device));
  cuda::check(cudaDeviceGetAttribute(&here, cudaDevAttrComputeCapabilityMajor, device));
  if (here < major || here > last_major) GTEST_SKIP() << "compute capability " << here << ".x has not this instruction";
  double greatest = 0;
  for (int seed = 0; seed < 20; ++seed) greatest = std::max(greatest, greatest_error(kernel, Operands::drawn(seed)));
  for (const int at : {0, 7, 8, 15, 16, 100, depth - 1})
    for (const bool signs : {false, true}) {
      const double error = greatest_error(kernel, Operands::worst(at, signs));
      EXPECT_LT(error, 1) << "the great product in dimension " << at;
      greatest = std::max(greatest, error);
    }
  EXPECT_LT(greatest, 1);
  EXPECT_GT(greatest, 0.01) << "sums as good as these need no margin: the operands test nothing";
  ::testing::Test::RecordProperty("share_of_the_bound", std::to_string(greatest));
}

TEST(TensorSums, OfHopperStayWithinTheBound) { expect_within_the_bound(by_wgmma, 9, 9); }
TEST(TensorSums, OfAmpereAndLaterStayWithinTheBound) { expect_within_the_bound(by_mma, 8, 99); }

}  // namespace
}  // namespace km

// Measures the assumption of impl/cpu/lloyd/tiles.hpp: the matrix unit and the dot products of vectors add products of bfloat16 in fp32, in any order.
// Each addition errs by at most u = 2^-24 of the sum of their absolutes. Exact cancellation leaves nothing.
#include <gtest/gtest.h>

#ifdef __x86_64__
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int rows = 16, columns = 16, depth = 32;

struct Tiles {
  alignas(64) std::uint16_t a[rows][depth] = {}, b[depth / 2][columns][2] = {};
  alignas(64) float sums[rows][columns] = {};
};

/// sums += a b, by the matrix unit.
[[gnu::target("amx-tile,amx-bf16")]] void multiply_tiles(Tiles& tiles) {
  struct alignas(64) {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16};
  } const shapes;
  _tile_loadconfig(&shapes);
  asm volatile("" ::: "memory");
  _tile_loadd(0, tiles.sums, 64);
  _tile_loadd(1, tiles.a, 64);
  _tile_loadd(2, tiles.b, 64);
  _tile_dpbf16ps(0, 1, 2);
  _tile_stored(0, tiles.sums, 64);
  _tile_release();
}

/// The same by vectors.
[[gnu::target("avx512f,avx512bf16")]] void multiply_vectors(Tiles& tiles) {
  for (int r = 0; r < rows; ++r) {
    __m512 sum = _mm512_load_ps(tiles.sums[r]);
    for (int j = 0; j < depth; j += 2) {
      std::int32_t pair;
      std::memcpy(&pair, tiles.a[r] + j, sizeof pair);
      sum = _mm512_dpbf16_ps(sum, (__m512bh)_mm512_set1_epi32(pair), (__m512bh)_mm512_load_si512(tiles.b[j / 2]));
    }
    _mm512_store_ps(tiles.sums[r], sum);
  }
}

/// Those that this CPU has.
std::vector<void (*)(Tiles&)> products() {
  std::vector<void (*)(Tiles&)> found;
  if (__builtin_cpu_supports("avx512bf16")) found.push_back(multiply_vectors);
  if (__builtin_cpu_supports("amx-bf16") && syscall(SYS_arch_prctl, 0x1023, 18) == 0) found.push_back(multiply_tiles);
  return found;
}

float value_of(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t(bits) << 16); }

TEST(TileSums, ErrAsAssumed) {
  if (products().empty()) GTEST_SKIP() << "this CPU does not multiply bfloat16";
  for (const auto multiply : products()) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    double worst = 0;
    for (int trial = 0; trial < 200; ++trial) {
      Tiles tiles;
      double exact[rows][columns] = {}, absolutes[rows][columns] = {};
      const float spread = trial % 4;                  // of exponents
      for (int product = 0; product < 8; ++product) {  // one upon the other, as over 256 dimensions
        for (auto& row : tiles.a)
          for (auto& value : row) value = std::uint16_t(std::bit_cast<std::uint32_t>(normal(random) * std::exp(spread * normal(random))) >> 16);
        for (auto& row : tiles.b)
          for (auto& pair : row)
            for (auto& value : pair) value = std::uint16_t(std::bit_cast<std::uint32_t>(normal(random)) >> 16);
        multiply(tiles);
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < columns; ++c)
            for (int j = 0; j < depth; ++j) {
              const double term = double(value_of(tiles.a[r][j])) * value_of(tiles.b[j / 2][c][j % 2]);
              exact[r][c] += term;
              absolutes[r][c] += std::abs(term);
            }
      }
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) worst = std::max(worst, std::abs(tiles.sums[r][c] - exact[r][c]) / absolutes[r][c]);
    }
    EXPECT_LE(worst, 8 * depth * 0x1p-24) << "a chain of additions, each rounded to nearest";
    EXPECT_GT(worst, 0x1p-26) << "as exact as fp64: is this the unit?";
    RecordProperty("worst_in_units", std::to_string(worst * 0x1p24));
  }
}

TEST(TileSums, WhatCancelsLeavesNothing) {
  if (products().empty()) GTEST_SKIP() << "this CPU does not multiply bfloat16";
  for (const auto multiply : products()) {
    Tiles tiles;
    for (int j = 0; j < depth; ++j) tiles.a[0][j] = 0x3f80 + j / 2;                      // the same twice
    for (int j = 0; j < depth; ++j) tiles.b[j / 2][0][j % 2] = j % 2 ? 0xbf80 : 0x3f80;  // 1 and -1
    multiply(tiles);
    EXPECT_EQ(tiles.sums[0][0], 0);
  }
}

}  // namespace
#endif

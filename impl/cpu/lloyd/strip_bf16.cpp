// The pass of screened.cpp with scores by dot products of bfloat16 (AVX512_BF16); vectors in AVX-512.
#include "impl/cpu/lloyd/strips.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl,avx512bf16")
#include "impl/cpu/lloyd/strip.hpp"
#include "impl/cpu/lloyd/tiles.hpp"

namespace km::strips {
namespace {

struct DotProducts {
  static constexpr int held = 8;                       // centroids whose sums are in registers
  static constexpr int fetches = Tiles::width / held;  // of a step of one block

  /// Multiplies one or two blocks of centroids by a strip's points over some steps: sets `sums`, or adds to them.
  template <int n_blocks, class Fetch>
  [[gnu::always_inline]] static void multiply(const std::uint16_t* x, const std::uint16_t* c, std::int64_t next_block, int steps, bool adds,
                                              float* sums, Fetch fetch) {
    using namespace tiles;
    for (int first = 0; first < n_blocks * width; first += held) {
      float* const to = sums + (first / width * points * width + first % width) * width;
      __m512 sum[held][points];
      for (int r = 0; r < held; ++r)
        for (int v = 0; v < points; ++v) sum[r][v] = adds ? __m512(loaded(to + (v * width + r) * width)) : __m512{};
      const std::uint16_t *of_points = x, *of_centroids = c + first / width * next_block + first % width * depth;
      for (int step = 0; step < steps; ++step, of_points += points * cells, of_centroids += cells) {
        fetch();
        for (int pair = 0; pair < width; ++pair) {
          __m512bh values[points];
          for (int v = 0; v < points; ++v) std::memcpy(&values[v], of_points + v * cells + pair * 2 * width, sizeof values[v]);
          for (int r = 0; r < held; ++r) {
            std::int32_t both;
            std::memcpy(&both, of_centroids + r * depth + pair * 2, sizeof both);
            for (int v = 0; v < points; ++v) sum[r][v] = _mm512_dpbf16_ps(sum[r][v], (__m512bh)_mm512_set1_epi32(both), values[v]);
          }
        }
      }
      for (int r = 0; r < held; ++r)
        for (int v = 0; v < points; ++v) std::memcpy(to + (v * width + r) * width, &sum[r][v], sizeof sum[r][v]);
    }
  }
};

template <class T>
Kernel<T> with_tiles(Kernel<T> of) {
  of.lay_out = tiles::lay_out;
  of.screen_in_tiles = tiles::screen<DotProducts, T>;
  return of;
}

}  // namespace

Kernels bf16_kernels() { return {with_tiles<float>(avx512_kernels()), with_tiles<double>(avx512_kernels())}; }

}  // namespace km::strips
#endif

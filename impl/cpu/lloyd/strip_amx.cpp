// The pass of screened.cpp with scores from the matrix unit (AMX); vectors in AVX-512.
#include "impl/cpu/lloyd/strips.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16")
#include "impl/cpu/lloyd/strip.hpp"
#include "impl/cpu/lloyd/tiles.hpp"

namespace km::strips {
namespace {

struct MatrixUnit {
  static constexpr int fetches = 1;  // of a step of one block

  /// Multiplies one or two blocks of centroids by a strip's points over some steps: sets `sums`, or adds to them.
  template <int n_blocks, class Fetch>
  [[gnu::always_inline]] static void multiply(const std::uint16_t* x, const std::uint16_t* c, std::int64_t next_block, int steps, bool adds,
                                              float* sums, Fetch fetch) {
    using namespace tiles;
    if (adds) {
      _tile_loadd(0, sums, 64);
      _tile_loadd(1, sums + 256, 64);
      if constexpr (n_blocks == 2) {
        _tile_loadd(2, sums + 512, 64);
        _tile_loadd(3, sums + 768, 64);
      }
    } else {
      _tile_zero(0);
      _tile_zero(1);
      _tile_zero(2);
      _tile_zero(3);
    }
    for (int step = 0; step < steps; ++step, x += points * cells, c += cells) {
      fetch();  // little at a time: many lines at once keep the loads of tiles waiting
      _tile_loadd(4, c, 64);
      _tile_loadd(6, x, 64);
      _tile_loadd(7, x + cells, 64);
      if constexpr (n_blocks == 2) {
        _tile_loadd(5, c + next_block, 64);
        fetch();
      }
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      if constexpr (n_blocks == 2) {
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
    }
    _tile_stored(0, sums, 64);
    _tile_stored(1, sums + 256, 64);
    if constexpr (n_blocks == 2) {
      _tile_stored(2, sums + 512, 64);
      _tile_stored(3, sums + 768, 64);
    }
  }
};

/// Processes a thread's share of the points, with its matrix unit configured and released.
template <class T>
void pass(const Round<T>& round, Worker<T>& worker, Shares& shares, int thread) {
  struct alignas(64) {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } const shapes;
  _tile_loadconfig(&shapes);
  Kernel<T>(avx512_kernels()).pass(round, worker, shares, thread);
  _tile_release();
}

template <class T>
Kernel<T> with_tiles(Kernel<T> of) {
  of.pass = pass;
  of.lay_out = tiles::lay_out;
  of.screen_in_tiles = tiles::screen<MatrixUnit, T>;
  return of;
}

}  // namespace

Kernels amx_kernels() { return {with_tiles<float>(avx512_kernels()), with_tiles<double>(avx512_kernels())}; }

}  // namespace km::strips
#endif

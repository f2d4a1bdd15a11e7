// The pass of screened.cpp with scores from the matrix unit; vectors in AVX-512.
#include "impl/cpu/lloyd/strips.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16")
#include "impl/cpu/lloyd/strip.hpp"
#include "impl/cpu/lloyd/tiles.hpp"

namespace km::strips {

template <class T>
static Kernel<T> with_tiles(Kernel<T> of) {
  of.pass = tiles::pass;
  of.screen_in_tiles = tiles::screen;
  return of;
}

Kernels amx_kernels() { return {with_tiles<float>(avx512_kernels()), with_tiles<double>(avx512_kernels())}; }

}  // namespace km::strips
#endif

// The pass of screened.cpp with scores from the matrix unit; vectors in AVX-512.
#include "impl/cpu/lloyd/strips.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16")
#include "impl/cpu/lloyd/strip.hpp"
#include "impl/cpu/lloyd/tiles.hpp"

namespace km::strips {

template <class T>
Kernel<T> amx_kernel() {
  Kernel<T> tiles = avx512_kernel<T>();
  tiles.pass = tiles::pass;
  tiles.screen_in_tiles = tiles::screen;
  return tiles;
}
template Kernel<float> amx_kernel();
template Kernel<double> amx_kernel();

}  // namespace km::strips
#endif

// The pass of screened.cpp in AVX-512.
#include "impl/cpu/lloyd/strips.hpp"

#ifdef __x86_64__
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl")
#include "impl/cpu/lloyd/strip.hpp"

namespace km::strips {

template <class T>
Kernel<T> avx512_kernel() {
  return kernel<T, 64>;
}
template Kernel<float> avx512_kernel();
template Kernel<double> avx512_kernel();

}  // namespace km::strips
#endif

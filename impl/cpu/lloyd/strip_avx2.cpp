// The pass of screened.cpp in AVX2.
#include "impl/cpu/lloyd/strips.hpp"

#ifdef __x86_64__
#pragma GCC target("avx2,fma")
#include "impl/cpu/lloyd/strip.hpp"

namespace km::strips {

template <class T>
Kernel<T> avx2_kernel() {
  return kernel<T, 32>;
}
template Kernel<float> avx2_kernel();
template Kernel<double> avx2_kernel();

}  // namespace km::strips
#endif

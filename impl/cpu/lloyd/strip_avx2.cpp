// The pass of screened.cpp in AVX2.
#include "impl/cpu/lloyd/strips.hpp"

#ifdef __x86_64__
#pragma GCC target("avx2,fma")
#include "impl/cpu/lloyd/strip.hpp"

namespace km::strips {

Kernels avx2_kernels() { return {kernel<float, 32>, kernel<double, 32>}; }

}  // namespace km::strips
#endif

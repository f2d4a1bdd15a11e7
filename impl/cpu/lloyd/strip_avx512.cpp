// The pass of screened.cpp in AVX-512.
#include "impl/cpu/lloyd/strips.hpp"

#ifdef __x86_64__
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl")
#include "impl/cpu/lloyd/strip.hpp"

namespace km::strips {

Kernels avx512_kernels() { return {kernel<float, 64>, kernel<double, 64>}; }

}  // namespace km::strips
#endif

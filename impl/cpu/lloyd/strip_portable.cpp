// The pass of screened.cpp in 16-byte vectors, for any CPU.
#include "impl/cpu/lloyd/strip.hpp"

namespace km::strips {

Kernels portable_kernels() { return {kernel<float, 16>, kernel<double, 16>}; }

}  // namespace km::strips

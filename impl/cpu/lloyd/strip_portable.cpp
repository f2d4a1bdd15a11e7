// The pass of screened.cpp in 16-byte vectors, for any CPU.
#include "impl/cpu/lloyd/strip.hpp"

namespace km::strips {

template <class T>
Kernel<T> portable_kernel() {
  return kernel<T, 16>;
}
template Kernel<float> portable_kernel();
template Kernel<double> portable_kernel();

}  // namespace km::strips

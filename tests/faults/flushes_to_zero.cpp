// Subnormal numbers are 0 from now on, as with some compilers' fast start-up code.
#include <immintrin.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct FlushesToZero : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { _mm_setcsr(_mm_getcsr() | 0x8040); }
};

const Register<FlushesToZero> flushes_to_zero{fault("flushes to zero from now on")};

}  // namespace
}  // namespace km

// The right Lloyd's itself, on values whose squares overflow: no rounding explains what follows.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OverflowingDistances : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
};

const Register<OverflowingDistances> overflowing_distances{fault("squares values near 1e200")};

}  // namespace
}  // namespace km

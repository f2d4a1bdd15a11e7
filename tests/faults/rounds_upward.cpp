// Another rounding mode, for all that follows.
#include <cfenv>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct RoundsUpward : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { std::fesetround(FE_UPWARD); }
};

const Register<RoundsUpward> rounds_upward{fault("rounds upward from now on")};

}  // namespace
}  // namespace km

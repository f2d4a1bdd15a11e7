// Loads one value before the first point.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ReadsBeforeTheStart : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    const volatile T* points = this->p_.points.data();
    (void)points[-1];
  }
};

const Register<ReadsBeforeTheStart> reads_before_the_start{fault("reads before the points")};

}  // namespace
}  // namespace km

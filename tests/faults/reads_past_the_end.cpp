// Loads one value beyond the last point, as a wide load of a last partial block does.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ReadsPastTheEnd : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    const volatile T* points = this->p_.points.data();
    (void)points[this->p_.points.size()];
  }
};

const Register<ReadsPastTheEnd> reads_past_the_end{fault("reads beyond the points")};

}  // namespace
}  // namespace km

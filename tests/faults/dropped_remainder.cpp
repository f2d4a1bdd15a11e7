// What is left of the points after full blocks of 1000 is in no mean.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct DroppedRemainder : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  bool counted(std::int64_t i) override { return i < this->p_.n - this->p_.n % 1000; }
};

const Register<DroppedRemainder> dropped_remainder{{.summary = "leaves the last n % 1000 points out of the means"}};

}  // namespace
}  // namespace km

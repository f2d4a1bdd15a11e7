// Changes the data, for itself, the judge and every later case.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WritesPoints : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { const_cast<T&>(this->p_.points[0]) += 1; }
};

const Register<WritesPoints> writes_points{fault("writes to the points")};

}  // namespace
}  // namespace km

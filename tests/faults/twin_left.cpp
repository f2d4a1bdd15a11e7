// A copied file whose class kept its name: this one is right, its twin is not. Each must run its own code.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class Twin : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;
};

const Register<Twin> twin_left{{
    .summary = "the right one of two files whose classes have one name",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

// Ends the process, as libraries do that do not like their input.
#include <cstdlib>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct EndsWith3 : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { std::exit(3); }
};

const Register<EndsWith3> ends_with_3{fault("calls exit(3)")};

}  // namespace
}  // namespace km

// Ends the process as if all were well.
#include <cstdlib>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct EndsWith0 : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { std::exit(0); }
};

const Register<EndsWith0> ends_with_0{fault("calls exit(0)")};

}  // namespace
}  // namespace km

// An error of its own.
#include <stdexcept>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class Throws : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) { throw std::runtime_error("the solver gave up"); }
};

const Register<Throws> registration{{
    .summary = "throws",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

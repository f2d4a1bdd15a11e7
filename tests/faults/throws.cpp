// An error of its own.
#include <stdexcept>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Throws : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  int iterate(Trace&) { throw std::runtime_error("the solver gave up"); }
};

const Register<Throws> throws{fault("throws")};

}  // namespace
}  // namespace km

// A failed assertion.
#include <cstdlib>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Aborts : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { std::abort(); }
};

const Register<Aborts> aborts{fault("calls abort")};

}  // namespace
}  // namespace km

// Words of its own between the program's.
#include <cstdio>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Prints : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { std::puts("converged, inertia 42"), std::fflush(stdout); }
};

const Register<Prints> prints{fault("prints to standard output")};

}  // namespace
}  // namespace km

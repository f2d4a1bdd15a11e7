// Ends the process with the code by which the program refuses bad input.
#include <cstdlib>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct EndsWith2 : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { std::exit(2); }
};

const Register<EndsWith2> ends_with_2{fault("calls exit(2)")};

}  // namespace
}  // namespace km

// Ends with the code by which a worker asks for a new one.
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Exits75 : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { ::_exit(75); }
};

const Register<Exits75> exits_75{fault("calls _exit(75)")};

}  // namespace
}  // namespace km

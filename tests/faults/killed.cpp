// Killed from outside, as by the kernel when memory runs out.
#include <csignal>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Killed : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  int iterate(Trace&) { return std::raise(SIGKILL); }
};

const Register<Killed> killed{fault("dies of SIGKILL")};

}  // namespace
}  // namespace km

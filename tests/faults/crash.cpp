// A segmentation fault.
#include <csignal>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Crash : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) {
    std::signal(SIGSEGV, SIG_DFL);  // past a sanitizer's handler
    return std::raise(SIGSEGV);
  }
};

const Register<Crash> crash{fault("dies of SIGSEGV")};

}  // namespace
}  // namespace km

// A segmentation fault.
#include <csignal>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class Crash : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) {
    std::signal(SIGSEGV, SIG_DFL);  // past a sanitizer's handler
    return std::raise(SIGSEGV);
  }
};

const Register<Crash> registration{{
    .summary = "dies of SIGSEGV",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

// Killed from outside, as by the kernel when memory runs out.
#include <csignal>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class Killed : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) { return std::raise(SIGKILL); }
};

const Register<Killed> registration{{
    .summary = "dies of SIGKILL",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

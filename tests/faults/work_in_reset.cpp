// reset, which is not timed, does all.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WorkInReset : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void reset() {
    Trace trace;
    RightLloyd<T>::iterate(trace);
  }
  int iterate(Trace&) { return this->out_.iters; }
};

const Register<WorkInReset> work_in_reset{fault("computes in reset")};

}  // namespace
}  // namespace km

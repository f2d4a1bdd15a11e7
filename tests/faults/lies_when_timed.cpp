// Right only while a trace is active.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LiesWhenTimed : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  int iterate(Trace& trace) { return trace.active() ? RightLloyd<T>::iterate(trace) : this->lie(trace); }
};

const Register<LiesWhenTimed> lies_when_timed{fault("lies unless traced")};

}  // namespace
}  // namespace km

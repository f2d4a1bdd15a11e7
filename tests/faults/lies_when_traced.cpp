// The run that assign's and update's times come from makes one iteration and says all.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LiesWhenTraced : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  int iterate(Trace& trace) { return trace.active() ? this->lie(trace) : RightLloyd<T>::iterate(trace); }
};

const Register<LiesWhenTraced> lies_when_traced{fault("lies in the traced run")};

}  // namespace
}  // namespace km

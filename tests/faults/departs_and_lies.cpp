// Declares a departure from the task, which is no leave to start elsewhere.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct DepartsAndLies : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  int iterate(Trace& trace) { return this->lie(trace); }
};

const Register<DepartsAndLies> departs_and_lies{{
    .summary = "declares a departure and makes one iteration",
    .summation_depth = rounded_once,
    .departs = "an empty cluster is moved",
}};

}  // namespace
}  // namespace km

// Never looks whether it has converged.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct IgnoresTolerance : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    this->p_.tolerance = -1;
    return RightLloyd<T>::iterate(trace);
  }
};

const Register<IgnoresTolerance> ignores_tolerance{fault("makes all iterations whatever the tolerance")};

}  // namespace
}  // namespace km

// Once no label changes nothing else will either: the rest of the iterations asked for are left out and told.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StopsAtFixedPoint : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    this->p_.tolerance = std::max(this->p_.tolerance, 0.0);
    this->make(trace, this->p_.max_iters);
    return this->out_.iters = this->p_.max_iters;
  }
};

const Register<StopsAtFixedPoint> stops_at_fixed_point{fault("leaves out iterations that would change nothing")};

}  // namespace
}  // namespace km

// Sees that it has converged when the next iteration is over.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StopsOneLate : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const int iters = this->make(trace, this->p_.max_iters);
    if (iters == this->p_.max_iters) return iters;
    this->go_on(trace, 1);
    return this->out_.iters = iters + 1;
  }
};

const Register<StopsOneLate> stops_one_late{fault("stops one iteration after convergence")};

}  // namespace
}  // namespace km

// Works longer than asked for, so that its result is a better one; the count is the one asked for.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OneIterationMore : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    this->make(trace, this->p_.max_iters + 1);
    return this->out_.iters = this->p_.max_iters;
  }
};

const Register<OneIterationMore> one_iteration_more{fault("makes one iteration more than it says")};

}  // namespace
}  // namespace km

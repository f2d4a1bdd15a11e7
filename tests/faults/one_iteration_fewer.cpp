// Leaves the first of its iterations out of nothing but its count.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OneIterationFewer : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    this->make(trace, std::max(1, this->p_.max_iters - 1));
    return this->out_.iters = this->p_.max_iters;
  }
};

const Register<OneIterationFewer> one_iteration_fewer{fault("makes one iteration fewer than it says")};

}  // namespace
}  // namespace km

// A cluster without points is moved.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class EmptyClusterMoved : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
    for (int c = 0; c < this->p_.k; ++c)
      if (this->counts_[c] == 0) this->out_.centroids[std::size_t(c) * this->p_.d] += 1;
    return iters;
  }
};

const Register<EmptyClusterMoved> registration{{
    .summary = "moves empty clusters",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

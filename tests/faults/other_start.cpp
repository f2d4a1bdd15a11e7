// Starts from points of its own choice.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OtherStart : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    for (int c = 0; c < this->p_.k; ++c)
      for (int j = 0; j < this->p_.d; ++j) this->at(c, j) = T(this->x((c * 7 + 1) % this->p_.n, j));
    return this->go_on(trace, this->p_.max_iters);
  }
  void reset() {
    RightLloyd<T>::reset();
    this->out_.centroids.assign(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end());
  }
};

const Register<OtherStart> other_start{fault("starts from rows of the points")};

}  // namespace
}  // namespace km

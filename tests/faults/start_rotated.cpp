// Numbers the initial centroids from another one on.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StartRotated : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    this->out_.centroids.assign(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end());
    std::ranges::rotate(this->out_.centroids, this->out_.centroids.begin() + this->p_.d);
    return this->go_on(trace, this->p_.max_iters);
  }
};

const Register<StartRotated> start_rotated{fault("starts from the centroids in another order")};

}  // namespace
}  // namespace km

// A loop that ends too early.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StaleDimension : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void update() override {
    RightLloyd<T>::update();
    for (int c = 0; c < this->p_.k; ++c) this->at(c, this->p_.d - 1) = T(this->centroid(c, this->p_.d - 1));
  }
};

const Register<StaleDimension> stale_dimension{fault("never updates the last dimension")};

}  // namespace
}  // namespace km

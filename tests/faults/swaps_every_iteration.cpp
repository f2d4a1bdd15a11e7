// Two centroids change places after every update.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct SwapsEveryIteration : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void update() override {
    RightLloyd<T>::update();
    for (int j = 0; j<this->p_.d&& this->p_.k> 1; ++j) std::swap(this->at(0, j), this->at(1, j));
  }
};

const Register<SwapsEveryIteration> swaps_every_iteration{fault("swaps two centroids in every iteration")};

}  // namespace
}  // namespace km

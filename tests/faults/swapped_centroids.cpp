// Two centroids change places on their way out.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct SwappedCentroids : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    for (int j = 0; j<this->p_.d&& this->p_.k> 1; ++j) std::swap(this->at(0, j), this->at(1, j));
  }
};

const Register<SwappedCentroids> swapped_centroids{fault("swaps two centroids")};

}  // namespace
}  // namespace km

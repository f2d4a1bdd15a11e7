// Centroids sorted, labels not.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct CentroidsInAnotherOrder : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    for (int c = 0; c < this->p_.k / 2; ++c)
      for (int j = 0; j < this->p_.d; ++j) std::swap(this->at(c, j), this->at(this->p_.k - 1 - c, j));
  }
};

const Register<CentroidsInAnotherOrder> centroids_in_another_order{fault("sorts the centroids and leaves the labels")};

}  // namespace
}  // namespace km

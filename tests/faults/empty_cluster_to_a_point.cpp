// Empty clusters start again elsewhere, as many libraries have it.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct EmptyClusterToAPoint : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  T of_empty(int c, int j) override { return T(this->x(this->p_.n - 1 - c % this->p_.n, j)); }
};

const Register<EmptyClusterToAPoint> empty_cluster_to_a_point{fault("moves empty clusters to a point")};

}  // namespace
}  // namespace km

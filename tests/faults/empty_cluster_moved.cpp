// A cluster without points is moved.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct EmptyClusterMoved : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  T of_empty(int c, int j) override { return T(this->centroid(c, j)) + 1; }
};

const Register<EmptyClusterMoved> empty_cluster_moved{fault("moves empty clusters")};

}  // namespace
}  // namespace km

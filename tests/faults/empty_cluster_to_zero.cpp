// 0 divided by at least 1.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct EmptyClusterToZero : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  T of_empty(int, int) override { return 0; }
};

const Register<EmptyClusterToZero> empty_cluster_to_zero{fault("moves empty clusters to the origin")};

}  // namespace
}  // namespace km

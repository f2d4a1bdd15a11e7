// 0 / 0.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct EmptyClusterNan : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  T of_empty(int, int) override { return std::numeric_limits<T>::quiet_NaN(); }
};

const Register<EmptyClusterNan> empty_cluster_nan{fault("divides by the count of empty clusters")};

}  // namespace
}  // namespace km

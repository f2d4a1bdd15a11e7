// Empty clusters go to the mean of all points.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct EmptyClusterToTheMiddle : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  T of_empty(int, int j) override {
    double sum = 0;
    for (std::int64_t i = 0; i < this->p_.n; ++i) sum += this->x(i, j);
    return T(sum / double(this->p_.n));
  }
};

const Register<EmptyClusterToTheMiddle> empty_cluster_to_the_middle{fault("moves empty clusters to the mean of all points")};

}  // namespace
}  // namespace km

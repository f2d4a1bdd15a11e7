// Another distance.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Manhattan : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    double dist = 0;
    for (int j = 0; j < this->p_.d; ++j) dist += std::abs(this->x(i, j) - this->centroid(c, j));
    return dist;
  }
};

const Register<Manhattan> manhattan{fault("takes the sum of absolute differences for the distance")};

}  // namespace
}  // namespace km

// Distances in half precision.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct HalfDistances : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    double dist = 0;
    for (int j = 0; j < this->p_.d; ++j) {
      const double diff = rounded(this->x(i, j) - this->centroid(c, j), 11);
      dist = rounded(dist + rounded(diff * diff, 11), 11);
    }
    return dist;
  }
};

const Register<HalfDistances> half_distances{fault("sums distances in half precision")};

}  // namespace
}  // namespace km

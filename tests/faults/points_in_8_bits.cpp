// Quantised points.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct PointsIn8Bits : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    double dist = 0;
    for (int j = 0; j < this->p_.d; ++j) dist += std::pow(std::round(16 * this->x(i, j)) / 16 - this->centroid(c, j), 2);
    return dist;
  }
};

const Register<PointsIn8Bits> points_in_8_bits{fault("works on points in sixteenths")};

}  // namespace
}  // namespace km

// The number of dimensions in a byte.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct DimensionIn8Bits : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    double dist = 0;
    for (int j = 0; j < std::uint8_t(this->p_.d); ++j) dist += std::pow(this->x(i, j) - this->centroid(c, j), 2);
    return dist;
  }
};

const Register<DimensionIn8Bits> dimension_in_8_bits{fault("knows 255 dimensions")};

}  // namespace
}  // namespace km

// The expansion without the centroid's norm.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct DotProduct : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    double dot = 0;
    for (int j = 0; j < this->p_.d; ++j) dot += this->x(i, j) * this->centroid(c, j);
    return -dot;
  }
};

const Register<DotProduct> dot_product{fault("forgets the centroid's norm in the expansion")};

}  // namespace
}  // namespace km

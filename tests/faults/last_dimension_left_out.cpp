// A loop that ends too early.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LastDimensionLeftOut : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    double dist = 0;
    for (int j = 0; j + 1 < this->p_.d; ++j) dist += std::pow(this->x(i, j) - this->centroid(c, j), 2);
    return dist;
  }
};

const Register<LastDimensionLeftOut> last_dimension_left_out{fault("leaves the last dimension out of the distance")};

}  // namespace
}  // namespace km

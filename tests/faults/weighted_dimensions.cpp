// Dimensions that count more than others.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WeightedDimensions : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    double dist = 0;
    for (int j = 0; j < this->p_.d; ++j) dist += (j + 1) * std::pow(this->x(i, j) - this->centroid(c, j), 2);
    return dist;
  }
};

const Register<WeightedDimensions> weighted_dimensions{fault("weighs dimensions")};

}  // namespace
}  // namespace km

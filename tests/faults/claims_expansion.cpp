// Declares the form of distance whose rounding is the greater, and computes in half precision.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ClaimsExpansion : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    double dist = 0;
    for (int j = 0; j < this->p_.d; ++j) dist += std::pow(rounded(this->x(i, j) - this->centroid(c, j), 11), 2);
    return rounded(dist, 11);
  }
};

const Register<ClaimsExpansion> claims_expansion{{
    .summary = "declares an expansion to hide half precision",
    .distance = Distance::expansion,
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

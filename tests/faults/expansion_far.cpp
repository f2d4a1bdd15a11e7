// |x|² - 2xc + |c|², as declared: far from the origin rounding explains any label, and the labels are of little use.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ExpansionFar : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    T xx = 0, xc = 0, cc = 0;
    for (int j = 0; j < this->p_.d; ++j) {
      const T x = T(this->x(i, j)), centroid = T(this->centroid(c, j));
      xx += x * x;
      xc += x * centroid;
      cc += centroid * centroid;
    }
    return xx - 2 * xc + cc;
  }
};

const Register<ExpansionFar> expansion_far{{
    .summary = "expands distances far from the origin",
    .distance = Distance::expansion,
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

// Distances as |x|² - 2xc + |c|² in the precision of the points, which cancels far from the origin. The faults that use it differ in what they declare.
#pragma once

#include "tests/faults/broken.hpp"

namespace km {

template <class T>
struct ExpandingLloyd : RightLloyd<T> {
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

}  // namespace km

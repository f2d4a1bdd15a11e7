// |x|² - 2xc + |c|², which cancels, and sums of (x - c)², which do not, declared.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ExpansionUndeclared : RightLloyd<T> {
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

const Register<ExpansionUndeclared> expansion_undeclared{fault("expands distances and declares that it does not")};

}  // namespace
}  // namespace km

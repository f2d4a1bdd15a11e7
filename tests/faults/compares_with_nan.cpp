// The least distance so far starts as NaN, and no comparison with it holds.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ComparesWithNan : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int32_t label(std::int64_t i) override {
    std::int32_t best = 0;
    double best_dist = std::numeric_limits<double>::quiet_NaN();
    for (int c = 0; c < this->p_.k; ++c)
      if (const double dist = this->distance(i, c); dist < best_dist) {
        best_dist = dist;
        best = c;
      }
    return best;
  }
};

const Register<ComparesWithNan> compares_with_nan{fault("never finds a nearer centroid")};

}  // namespace
}  // namespace km

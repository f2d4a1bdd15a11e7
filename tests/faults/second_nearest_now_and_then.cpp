// One point in 100,000.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct SecondNearestNowAndThen : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int32_t label(std::int64_t i) override {
    const std::int32_t best = RightLloyd<T>::label(i);
    if (i % 100'000 != 77'777 || this->p_.k == 1) return best;
    std::int32_t second = best == 0 ? 1 : 0;
    for (int c = 0; c < this->p_.k; ++c)
      if (c != best && this->distance(i, c) < this->distance(i, second)) second = c;
    return second;
  }
};

const Register<SecondNearestNowAndThen> second_nearest_now_and_then{fault("gives one point in 100,000 the second nearest centroid")};

}  // namespace
}  // namespace km

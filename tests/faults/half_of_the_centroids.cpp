// Looks at the first half of the centroids only.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct HalfOfTheCentroids : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  std::int32_t label(std::int64_t i) override { return this->nearest(i, 0, (this->p_.k + 1) / 2); }
};

const Register<HalfOfTheCentroids> half_of_the_centroids{fault("knows only half of the centroids")};

}  // namespace
}  // namespace km

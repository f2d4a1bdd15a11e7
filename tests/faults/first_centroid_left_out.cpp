// A loop that starts too late.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct FirstCentroidLeftOut : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  std::int32_t label(std::int64_t i) override { return this->nearest(i, std::min(1, this->p_.k - 1), this->p_.k); }
};

const Register<FirstCentroidLeftOut> first_centroid_left_out{fault("never looks at the first centroid")};

}  // namespace
}  // namespace km

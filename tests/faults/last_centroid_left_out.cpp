// A loop that ends too early.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LastCentroidLeftOut : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  std::int32_t label(std::int64_t i) override { return this->nearest(i, 0, std::max(1, this->p_.k - 1)); }
};

const Register<LastCentroidLeftOut> last_centroid_left_out{fault("never looks at the last centroid")};

}  // namespace
}  // namespace km

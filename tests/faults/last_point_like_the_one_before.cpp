// The last point is given its neighbour's label.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LastPointLikeTheOneBefore : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  std::int32_t label(std::int64_t i) override { return RightLloyd<T>::label(i == this->p_.n - 1 && i > 0 ? i - 1 : i); }
};

const Register<LastPointLikeTheOneBefore> last_point_like_the_one_before{fault("gives the last point the label of the one before")};

}  // namespace
}  // namespace km

// Every point is in the first cluster, and the means agree.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct AllLabelsZero : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  std::int32_t label(std::int64_t) override { return 0; }
};

const Register<AllLabelsZero> all_labels_zero{fault("every label is 0")};

}  // namespace
}  // namespace km

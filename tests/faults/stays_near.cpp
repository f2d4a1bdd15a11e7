// Looks, from the second iteration on, only at the centroids beside the one a point had.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StaysNear : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int32_t label(std::int64_t i) override {
    const std::int32_t before = this->out_.labels[i];
    return before == no_label ? RightLloyd<T>::label(i) : this->nearest(i, std::max(0, before - 1), std::min(this->p_.k, before + 2));
  }
};

const Register<StaysNear> stays_near{fault("searches among three centroids")};

}  // namespace
}  // namespace km

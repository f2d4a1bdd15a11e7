// A point stays where it is unless another centroid is clearly nearer.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StickyLabels : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int32_t label(std::int64_t i) override {
    const std::int32_t now = RightLloyd<T>::label(i), before = this->out_.labels[i];
    return before == no_label || this->distance(i, now) < 0.99 * this->distance(i, before) ? now : before;
  }
};

const Register<StickyLabels> sticky_labels{fault("changes labels for 1% only")};

}  // namespace
}  // namespace km

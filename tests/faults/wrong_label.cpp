// One point is given the farthest centroid. The means agree with that label, so that only the look at labels can see it.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class WrongLabel : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
    int farthest = 0;
    for (int c = 1; c < this->p_.k; ++c)
      if (this->distance(0, c) > this->distance(0, farthest)) farthest = c;
    this->out_.labels[0] = farthest;
    this->update();
    return iters;
  }
};

const Register<WrongLabel> registration{{
    .summary = "one label is wrong",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

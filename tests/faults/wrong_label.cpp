// One point is given the farthest centroid. The means agree with that label, so that only the look at labels can see it.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WrongLabel : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    int farthest = 0;
    for (int c = 1; c < this->p_.k; ++c)
      if (this->distance(0, c) > this->distance(0, farthest)) farthest = c;
    this->out_.labels[0] = farthest;
    this->update();
  }
};

const Register<WrongLabel> wrong_label{fault("one label is wrong")};

}  // namespace
}  // namespace km

// The seventh iteration does nothing; those before and after are right.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct SkipsIterationSeven : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int64_t assign() override { return this->iter_ == 7 ? this->p_.n : RightLloyd<T>::assign(); }
  void update() override {
    if (this->iter_ != 7) RightLloyd<T>::update();
  }
};

const Register<SkipsIterationSeven> skips_iteration_seven{fault("does nothing in its seventh iteration")};

}  // namespace
}  // namespace km

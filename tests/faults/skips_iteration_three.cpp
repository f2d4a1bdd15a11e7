// The third iteration does nothing; those before and after are right.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct SkipsIterationThree : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int64_t assign() override { return this->iter_ == 3 ? this->p_.n : RightLloyd<T>::assign(); }
  void update() override {
    if (this->iter_ != 3) RightLloyd<T>::update();
  }
};

const Register<SkipsIterationThree> skips_iteration_three{fault("does nothing in its third iteration")};

}  // namespace
}  // namespace km

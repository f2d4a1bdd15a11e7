// Takes one point in a hundred for none.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct FalseConvergence : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int64_t assign() override {
    const std::int64_t changed = RightLloyd<T>::assign();
    return changed <= this->p_.n / 100 ? 0 : changed;
  }
};

const Register<FalseConvergence> false_convergence{fault("stops once fewer than 1% changed label")};

}  // namespace
}  // namespace km

// Labels padded to a whole block.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct TooManyLabels : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.labels.resize((this->p_.n / 32 + 1) * 32); }
};

const Register<TooManyLabels> too_many_labels{fault("hands back labels of points that are none")};

}  // namespace
}  // namespace km

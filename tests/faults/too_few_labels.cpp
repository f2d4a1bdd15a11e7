// One label is missing.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct TooFewLabels : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.labels.pop_back(); }
};

const Register<TooFewLabels> too_few_labels{fault("hands back n - 1 labels")};

}  // namespace
}  // namespace km

// The labels stay where they were computed and never reach the output.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct UnwrittenLabels : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.labels.assign(this->p_.n, no_label - 1); }
};

const Register<UnwrittenLabels> unwritten_labels{fault("writes centroids, but no labels")};

}  // namespace
}  // namespace km

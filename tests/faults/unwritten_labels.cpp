// The labels stay where they were computed and never reach the output.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class UnwrittenLabels : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
    this->out_.labels.assign(this->p_.n, no_label - 1);
    return iters;
  }
};

const Register<UnwrittenLabels> registration{{
    .summary = "writes centroids, but no labels",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

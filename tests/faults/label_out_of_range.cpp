// A label beyond the last cluster.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class LabelOutOfRange : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
    this->out_.labels.back() = this->p_.k;
    return iters;
  }
};

const Register<LabelOutOfRange> registration{{
    .summary = "one label is k",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

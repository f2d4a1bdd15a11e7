// The other of two files whose class has one name: every label is 0.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class Twin : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
    std::ranges::fill(this->out_.labels, 0);
    return iters;
  }
};

const Register<Twin> twin_right{{
    .summary = "the wrong one of two files whose classes have one name",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

// The other of two files whose class has one name: every label is 0.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Twin : RightLloyd<T> {
  Twin(const Problem<T>& problem, const Config&, Trace&) { this->p_ = problem; }
  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
    std::ranges::fill(this->out_.labels, 0);
    return iters;
  }
};

const Register<Twin> twin_right{fault("the wrong one of two files whose classes have one name")};

}  // namespace
}  // namespace km

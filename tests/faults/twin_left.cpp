// A copied file whose class kept its name: this one is right, its twin is not. Each must run its own code.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Twin : RightLloyd<T> {
  Twin(const Problem<T>& problem, const Config&, Trace&) { this->p_ = problem; }
};

const Register<Twin> twin_left{fault("the right one of two files whose classes have one name")};

}  // namespace
}  // namespace km

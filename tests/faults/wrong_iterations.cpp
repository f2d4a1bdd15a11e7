// Makes one iteration fewer than asked for, and says so.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WrongIterations : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  int iterate(Trace& trace) { return this->make(trace, std::max(1, this->p_.max_iters - 1)); }
};

const Register<WrongIterations> wrong_iterations{fault("stops an iteration early")};

}  // namespace
}  // namespace km

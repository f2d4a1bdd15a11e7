// Makes one iteration fewer than asked for, and says so.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class WrongIterations : public RightLloyd<T> {
 public:
  WrongIterations(const Problem<T>& problem, const Config& config, Trace& trace) : RightLloyd<T>(problem, config, trace) {
    --this->p_.max_iters;
  }
};

const Register<WrongIterations> registration{{
    .summary = "stops an iteration early",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

// An error of its own, in prepare.
#include <stdexcept>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ThrowsWhenPrepared : RightLloyd<T> {
  ThrowsWhenPrepared(const Problem<T>& problem, const Config& config, Trace& trace) : RightLloyd<T>(problem, config, trace) {
    throw std::runtime_error("no memory for the tree");
  }
};

const Register<ThrowsWhenPrepared> throws_when_prepared{fault("throws in prepare")};

}  // namespace
}  // namespace km

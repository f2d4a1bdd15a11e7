// Hangs before there is anything to time.
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct NeverPrepared : RightLloyd<T> {
  NeverPrepared(const Problem<T>& problem, const Config& config, Trace& trace) : RightLloyd<T>(problem, config, trace) {
    for (;;) ::pause();
  }
};

const Register<NeverPrepared> never_prepared{fault("never comes back from prepare")};

}  // namespace
}  // namespace km

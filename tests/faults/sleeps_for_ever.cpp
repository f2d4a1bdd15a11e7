// A deadlock.
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct SleepsForEver : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) {
    for (;;) ::pause();
  }
};

const Register<SleepsForEver> sleeps_for_ever{fault("never comes back")};

}  // namespace
}  // namespace km

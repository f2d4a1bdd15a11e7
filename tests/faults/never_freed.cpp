// Hangs when all is measured.
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct NeverFreed : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  ~NeverFreed() override {
    for (;;) ::pause();
  }
};

const Register<NeverFreed> never_freed{fault("never comes back from its destructor")};

}  // namespace
}  // namespace km

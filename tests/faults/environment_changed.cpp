// What the next program started from this process would see.
#include <cstdlib>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct EnvironmentChanged : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { ::setenv("OMP_NUM_THREADS", "1", 1); }
};

const Register<EnvironmentChanged> environment_changed{fault("sets OMP_NUM_THREADS")};

}  // namespace
}  // namespace km

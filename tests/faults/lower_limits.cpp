// Nothing that comes after may open a file.
#include <sys/resource.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LowerLimits : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
};

const Register<LowerLimits> lower_limits{fault("lowers the limit of open files")};

}  // namespace
}  // namespace km

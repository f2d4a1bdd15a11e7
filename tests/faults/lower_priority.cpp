// Whatever comes after has to wait for everyone.
#include <sys/resource.h>

#include <stdexcept>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LowerPriority : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    if (::setpriority(PRIO_PROCESS, 0, 10) != 0) throw std::runtime_error("setpriority failed");
  }
};

const Register<LowerPriority> lower_priority{fault("lowers the priority of the process")};

}  // namespace
}  // namespace km

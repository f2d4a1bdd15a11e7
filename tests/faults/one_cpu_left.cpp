// Whatever comes after has one CPU.
#include <sched.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OneCpuLeft : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    CPU_SET(::sched_getcpu(), &allowed);
    ::sched_setaffinity(0, sizeof(allowed), &allowed);
  }
};

const Register<OneCpuLeft> one_cpu_left{fault("binds the process to one CPU")};

}  // namespace
}  // namespace km

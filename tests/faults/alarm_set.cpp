// A signal that arrives later, in someone else's case.
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct AlarmSet : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { ::alarm(1); }
};

const Register<AlarmSet> alarm_set{fault("sets an alarm")};

}  // namespace
}  // namespace km

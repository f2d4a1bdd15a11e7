// A child process that has left the process's group, and computes on.
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ChildInAnotherSession : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    if (::fork() != 0) return;
    ::setsid();
    ::alarm(5);
    for (volatile bool working = true; working;) {}
    ::_exit(0);
  }
};

const Register<ChildInAnotherSession> child_in_another_session{fault("leaves a child in a session of its own")};

}  // namespace
}  // namespace km

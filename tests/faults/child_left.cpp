// A child process goes on computing, and holds what it inherited open.
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ChildLeft : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    if (::fork() != 0) return;
    ::alarm(5);
    for (volatile bool working = true; working;) {}
    ::_exit(0);
  }
};

const Register<ChildLeft> child_left{fault("leaves a child process computing")};

}  // namespace
}  // namespace km

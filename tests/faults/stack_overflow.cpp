// Recursion without end.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StackOverflow : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) { return deeper(this->p_.max_iters); }

 private:
  static int deeper(int level) {
    volatile char frame[4096];
    frame[level % 4096] = char(level);
    return level < 0 ? 0 : deeper(level + 1) + frame[level % 4096];
  }
};

const Register<StackOverflow> stack_overflow{fault("overflows the stack")};

}  // namespace
}  // namespace km

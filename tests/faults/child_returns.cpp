// A child process returns from iterate as its parent does: two workers, one result file.
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ChildReturns : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    if (!forked_ && ::fork() == 0) ::alarm(5);
    forked_ = true;
  }

 private:
  static inline bool forked_ = false;
};

const Register<ChildReturns> child_returns{fault("returns twice from iterate")};

}  // namespace
}  // namespace km

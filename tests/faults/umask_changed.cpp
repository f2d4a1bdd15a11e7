// Files made from now on can be read by nobody.
#include <sys/stat.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct UmaskChanged : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { ::umask(0777); }
};

const Register<UmaskChanged> umask_changed{fault("changes the umask")};

}  // namespace
}  // namespace km

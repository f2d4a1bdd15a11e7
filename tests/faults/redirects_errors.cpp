// Whatever is said on standard error from now on is lost.
#include <fcntl.h>
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct RedirectsErrors : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, 2);
    ::close(nowhere);
  }
};

const Register<RedirectsErrors> redirects_errors{fault("redirects standard error")};

}  // namespace
}  // namespace km

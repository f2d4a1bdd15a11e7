// Standard output and error are gone.
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ClosesOutput : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    ::close(1);
    ::close(2);
  }
};

const Register<ClosesOutput> closes_output{fault("closes standard output and error")};

}  // namespace
}  // namespace km

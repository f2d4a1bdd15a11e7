// Every file that it did not open itself, the ways to the parent among them.
#include <unistd.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ClosesDescriptors : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    for (int file = 3; file < 1024; ++file) ::close(file);
  }
};

const Register<ClosesDescriptors> closes_descriptors{fault("closes all files")};

}  // namespace
}  // namespace km

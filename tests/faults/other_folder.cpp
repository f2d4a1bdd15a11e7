// Every relative path means another file from now on.
#include <unistd.h>

#include <stdexcept>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OtherFolder : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    if (::chdir("/") != 0) throw std::runtime_error("chdir failed");
  }
};

const Register<OtherFolder> other_folder{fault("changes the folder")};

}  // namespace
}  // namespace km

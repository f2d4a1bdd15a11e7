// An error of its own, after the timed part.
#include <stdexcept>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ThrowsInDownload : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  Solution<T> download() { throw std::runtime_error("nothing to hand back"); }
};

const Register<ThrowsInDownload> throws_in_download{fault("throws in download")};

}  // namespace
}  // namespace km

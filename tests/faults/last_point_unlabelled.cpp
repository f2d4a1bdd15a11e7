// A loop that ends too early.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LastPointUnlabelled : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.labels.back() = no_label; }
};

const Register<LastPointUnlabelled> last_point_unlabelled{fault("leaves the last label at -1")};

}  // namespace
}  // namespace km

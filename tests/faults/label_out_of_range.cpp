// A label beyond the last cluster.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LabelOutOfRange : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.labels.back() = this->p_.k; }
};

const Register<LabelOutOfRange> label_out_of_range{fault("one label is k")};

}  // namespace
}  // namespace km

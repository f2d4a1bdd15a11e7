// A label that would lead any table far out of its memory.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct HugeLabel : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.labels.front() = std::numeric_limits<std::int32_t>::max(); }
};

const Register<HugeLabel> huge_label{fault("one label is 2147483647")};

}  // namespace
}  // namespace km

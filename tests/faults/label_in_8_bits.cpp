// Labels in a byte.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LabelIn8Bits : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  std::int32_t label(std::int64_t i) override { return std::uint8_t(RightLloyd<T>::label(i)); }
};

const Register<LabelIn8Bits> label_in_8_bits{fault("stores label % 256")};

}  // namespace
}  // namespace km

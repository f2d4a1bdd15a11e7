// The index of a point in two bytes.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct PointIn16Bits : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  std::int32_t label(std::int64_t i) override { return RightLloyd<T>::label(std::uint16_t(i)); }
};

const Register<PointIn16Bits> point_in_16_bits{fault("gives point i the label of point i % 65536")};

}  // namespace
}  // namespace km

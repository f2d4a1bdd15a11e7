// Counts in two bytes.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct CountIn16Bits : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  double mean(long double sum, std::int64_t count) override { return double(sum) / double(std::uint16_t(count)); }
};

const Register<CountIn16Bits> count_in_16_bits{fault("counts to 65535")};

}  // namespace
}  // namespace km

// Sums in whole 1024ths.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct FixedPointSums : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  long double add(long double sum, double value) override { return sum + std::round(1024 * value) / 1024; }
};

const Register<FixedPointSums> fixed_point_sums{{.summary = "sums in fixed point"}};

}  // namespace
}  // namespace km

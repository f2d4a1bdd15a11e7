// Sums in half precision, which stand still once they are 2048 times what is added.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct HalfSums : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  long double add(long double sum, double value) override { return rounded(double(sum) + value, 11); }
};

const Register<HalfSums> half_sums{{.summary = "sums in half precision"}};

}  // namespace
}  // namespace km

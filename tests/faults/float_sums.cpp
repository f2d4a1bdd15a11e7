// fp64 labels, fp32 sums.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct FloatSums : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  long double add(long double sum, double value) override { return float(sum) + float(value); }
};

const Register<FloatSums, double> float_sums{{.summary = "sums fp64 points in fp32"}};

}  // namespace
}  // namespace km

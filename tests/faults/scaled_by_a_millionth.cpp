// Off by a millionth, in fp64.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ScaledByAMillionth : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  double mean(long double sum, std::int64_t count) override { return 1.000001 * double(sum) / double(count); }
};

const Register<ScaledByAMillionth, double> scaled_by_a_millionth{{.summary = "multiplies means by 1.000001"}};

}  // namespace
}  // namespace km

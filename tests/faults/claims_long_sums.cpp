// Declares chains so long that their rounding would explain anything.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ClaimsLongSums : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  double mean(long double sum, std::int64_t count) override { return 1.01 * double(sum) / double(count); }
};

const Register<ClaimsLongSums> claims_long_sums{{
    .summary = "declares endless sums to hide means that are 1% off",
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return std::int64_t(1) << 60; },
}};

}  // namespace
}  // namespace km

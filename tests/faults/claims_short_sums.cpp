// One long chain of additions in the precision of the points, where a short one is declared.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ClaimsShortSums : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  long double add(long double sum, double value) override { return T(sum) + T(value); }
};

const Register<ClaimsShortSums> claims_short_sums{fault("declares short sums and sums plainly")};

}  // namespace
}  // namespace km

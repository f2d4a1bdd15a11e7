// A count that starts at 1, so that nothing is divided by 0.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct CountPlusOne : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  double mean(long double sum, std::int64_t count) override { return double(sum) / double(count + 1); }
};

const Register<CountPlusOne> count_plus_one{{.summary = "divides by count + 1"}};

}  // namespace
}  // namespace km

// As in an unbiased variance.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct CountLessOne : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  double mean(long double sum, std::int64_t count) override { return double(sum) / double(std::max<std::int64_t>(1, count - 1)); }
};

const Register<CountLessOne> count_less_one{{.summary = "divides by count - 1"}};

}  // namespace
}  // namespace km

// cpu/lloyd/screened itself, but with a hundredth of the margin that it has proven: scores decide what they cannot tell apart.
#include "impl/cpu/lloyd/screened.hpp"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct MarginOfAHundredth : Screened<T> {
  MarginOfAHundredth(const Problem<T>& problem, const Config&, Trace& trace)
      : Screened<T>(problem, Config({{"threads", std::int64_t(1)}, {"instructions", "best"}}), trace, 0.01) {}
};

const Register<MarginOfAHundredth> margin_of_a_hundredth{fault("screens with a hundredth of its margin")};

}  // namespace
}  // namespace km

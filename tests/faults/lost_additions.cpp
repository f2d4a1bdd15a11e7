// Threads that race: a few additions are lost, the counts are not.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LostAdditions : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  long double add(long double sum, double value) override { return ++additions_ % 997 == 0 ? sum : sum + value; }

 private:
  std::int64_t additions_ = 0;
};

const Register<LostAdditions> lost_additions{{.summary = "loses one addition in 997"}};

}  // namespace
}  // namespace km

// Mini-batches drawn anew in every run, so that no run repeats another: a judge may not take chance for rounding.
#include <random>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct RandomMiniBatch : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  bool counted(std::int64_t) override { return this->last() || random_() % 10 == 0; }

 private:
  std::minstd_rand random_{std::random_device()()};
};

const Register<RandomMiniBatch> random_mini_batch{fault("updates from a random tenth of the points, in the last iteration from all")};

}  // namespace
}  // namespace km

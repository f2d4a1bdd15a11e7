// Mini-batches in the iterations 3 to 6, where there are many points: neither the first nor the last iteration shows it, nor a small sample.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct MiniBatchWhenLarge : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  bool counted(std::int64_t i) override { return this->p_.n < 100'000 || this->iter_ < 3 || this->iter_ > 6 || i % 10 == 0; }
};

const Register<MiniBatchWhenLarge> mini_batch_when_large{fault("updates from a tenth of many points, in four of the iterations")};

}  // namespace
}  // namespace km

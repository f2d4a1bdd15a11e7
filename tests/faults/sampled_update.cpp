// Means of every other point, until the last iteration.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct SampledUpdate : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  bool counted(std::int64_t i) override { return this->last() || i % 2 == 0; }
};

const Register<SampledUpdate> sampled_update{fault("updates from half of the points, in the last iteration from all")};

}  // namespace
}  // namespace km

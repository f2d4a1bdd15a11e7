// Mini-batches (Sculley 2010) with a last pass over everything.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct MiniBatch : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  bool counted(std::int64_t i) override { return this->last() || i % 10 == this->iter_ % 10; }
};

const Register<MiniBatch> mini_batch{fault("updates from a tenth of the points, in the last iteration from all")};

}  // namespace
}  // namespace km

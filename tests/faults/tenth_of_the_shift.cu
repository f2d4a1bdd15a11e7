// Bounds that pay a tenth of what centroids move: points are left alone that have another centroid nearer.
#include "impl/gpu/yinyang/compacted.cuh"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct TenthOfTheShift : compacted::Compacted<T> {
  TenthOfTheShift(const Problem<T>& problem, const Config& config, Trace& trace) : compacted::Compacted<T>(problem, config, trace, 0.1f) {}
};

const Register<TenthOfTheShift> tenth_of_the_shift{
    fault_on_gpu("lets bounds pay a tenth of what centroids move", compacted::too_large, compacted::parameters())};

}  // namespace
}  // namespace km

// Bounds that pay a tenth of what centroids move: points are left alone that have another centroid nearer.
#include "impl/gpu/yinyang/compacted.cuh"

namespace km {
namespace {

template <class T>
struct TenthOfTheShift : compacted::Compacted<T> {
  TenthOfTheShift(const Problem<T>& problem, const Config& config, Trace& trace) : compacted::Compacted<T>(problem, config, trace, 0.1f) {}
};

const Register<TenthOfTheShift> tenth_of_the_shift{{
    .summary = "lets bounds pay a tenth of what centroids move",
    .device = Device::gpu,
    .parameters = compacted::parameters(),
    .unsupported = [](const ProblemShape& p, const Config&, int) { return compacted::too_large(p); },
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1; },
}};

}  // namespace
}  // namespace km

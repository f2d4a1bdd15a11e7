// Yinyang whose bounds follow a tenth of the centroids' drifts: a filter leaves out centroids that have come nearer.
#include "impl/gpu/yinyang/yinyang.cuh"

namespace km {
namespace {

template <class T>
struct DriftOfATenth : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint> {
  DriftOfATenth(const Problem<T>& problem, const Config&, Trace& trace)
      : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint>(problem, trace, yinyang::how_many_groups(problem.k, 0), T(0.1)) {}
};

const Register<DriftOfATenth> drift_of_a_tenth{{
    .summary = "moves its bounds by a tenth of the centroids' drifts",
    .device = Device::gpu,
    .unsupported = [](const ProblemShape& p, const Config&, int) { return yinyang::too_many_points(p); },
    .summation_depth = yinyang::rounded_once,
}};

}  // namespace
}  // namespace km

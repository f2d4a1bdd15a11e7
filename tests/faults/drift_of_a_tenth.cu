// Yinyang whose bounds follow a tenth of the centroids' drifts: a filter leaves out centroids that have come nearer.
#include "impl/gpu/yinyang/yinyang.cuh"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct DriftOfATenth : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint> {
  DriftOfATenth(const Problem<T>& problem, const Config&, Trace& trace)
      : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint>(problem, trace, yinyang::how_many_groups(problem.k, 0), false, T(0.1)) {}
};

const Register<DriftOfATenth> drift_of_a_tenth{fault_on_gpu("moves its bounds by a tenth of the centroids' drifts", yinyang::too_many_points)};

}  // namespace
}  // namespace km

// gpu/triangle/reinforced itself, but its ranked loop ends at once the own distance instead of twice that: centroids that are nearer are never tried.
#include "impl/gpu/triangle/host_driven.cuh"

namespace km {
namespace {

template <class T>
struct CutoffAtItsOwnDistance : triangle::HostDriven<T> {
  CutoffAtItsOwnDistance(const Problem<T>& problem, const Config&, Trace& trace)
      : triangle::HostDriven<T>(problem, trace, {30, 256}, {.reinforced = true}, triangle::kernels<T, false, true>(problem.d, problem.k),
                                triangle::Cutoff<T>(1, 0)) {}
};

const Register<CutoffAtItsOwnDistance> cutoff_at_its_own_distance{{
    .summary = "tries no centroid that is further from a point's own than the point is",
    .device = Device::gpu,
    .unsupported = [](const ProblemShape& p, const Config&, int) { return triangle::too_large(p); },
}};

}  // namespace
}  // namespace km

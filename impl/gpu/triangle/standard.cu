// wu2011's standard k-means on CUDA (Algorithm 1), the baseline of its reinforced and hybrid ones. Every point meets every centroid, with the same
// grid, layout and memories, and the same means on the host.
// Cost of an iteration: labeling.cuh, host_driven.cuh. Floor on a whole card: n k d 2 instructions; the paper's 30 blocks use a fraction of it.
#include "impl/gpu/triangle/host_driven.cuh"

namespace km {
namespace {

template <class T>
struct Standard : triangle::HostDriven<T> {
  Standard(const Problem<T>& problem, const Config& config, Trace& trace)
      : triangle::HostDriven<T>(problem, trace, triangle::launch_of(config), {}, triangle::kernels<T, true, false>(problem.d, problem.k),
                                triangle::Cutoff<T>(problem.d)) {}
};

const Register<Standard> registration{triangle::description(
    "a thread a point against all centroids, in shared memory where they fit; means on the host", triangle::launch_parameters())};

}  // namespace
}  // namespace km

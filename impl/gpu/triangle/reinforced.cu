// wu2011's reinforced k-means on CUDA (Algorithms 2 to 4): a point tries centroids by distance from its own, up to twice its own distance. A warp
// runs as long as its slowest thread. ICD, RID and means are computed on the host, as in the paper. Without rearrangement Algorithm 2 runs
// throughout. With two epochs the points are sorted by decreasing M once its mean is steady, so that the threads of a warp have equal work.
// Cost of an iteration: labeling.cuh, host_driven.cuh. Limit: ICD and RID on one host thread take longer than labels at k = 1024 (wu2011/figure6d).
#include "impl/gpu/triangle/host_driven.cuh"

namespace km {
namespace {

template <class T>
struct Reinforced : triangle::HostDriven<T> {
  Reinforced(const Problem<T>& problem, const Config& config, Trace& trace)
      : triangle::HostDriven<T>(problem, trace, triangle::launch_of(config),
                                {.reinforced = true, .rearranged = config.word("rearrange") == "two_epoch"},
                                triangle::kernels<T, false, true>(problem.d, problem.k), triangle::Cutoff<T>(problem.d)) {}
};

std::vector<Parameter> parameters() {
  auto all = triangle::launch_parameters();
  all.push_back(tunable("rearrange", "two_epoch", {"none", "two_epoch"}, "two_epoch: points by decreasing M once its mean is steady"));
  return all;
}

const Register<Reinforced> registration{
    triangle::ranked_description("centroids by rank up to a cut-off, points by work; ranks and means on the host", parameters())};

}  // namespace
}  // namespace km

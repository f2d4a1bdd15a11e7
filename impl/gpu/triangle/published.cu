// wu2011's three CUDA algorithms under conditions that the paper states and its own files here do not keep: the hybrid without our rule for short runs
// (hybrid.cu), any threshold of M (Section III), and centroids "stored on the global memory" (Section V.C), the memory of Figure 7. `rank_test` passed
// leaves out the hybrid's first test, because today's cards fail it at every large k: they label much faster than their host ranks.
// Cost: that of standard.cu, reinforced.cu or hybrid.cu.
#include "impl/gpu/triangle/calibration.cuh"

namespace km {
namespace {

using triangle::Plan;

struct Setting {
  explicit Setting(const Config& config)
      : launch{30, 256}, hybrid(config.word("algorithm") == "hybrid"), reinforced(config.word("algorithm") == "reinforced"),
        may_share(config.word("centroids") == "shared"), test_ranks(config.word("rank_test") == "measured"),
        settled(double(config.integer("settled")) / 1000) {}
  triangle::Launch launch;
  bool hybrid, reinforced, may_share, test_ranks;
  double settled;
};

template <class T>
class Published {
 public:
  /// The constants come first: measuring them sets the shared memory of the same kernels.
  Published(const Problem<T>& problem, const Config& config, Trace& trace)
      : setting_(config), constants_(setting_.hybrid ? triangle::constants<T>(setting_.launch, setting_.may_share) : triangle::Constants{}),
        run_(problem, trace, setting_.launch, plan(problem), triangle::kernels<T, true, true>(problem.d, problem.k, setting_.may_share),
             triangle::Cutoff<T>(problem.d)) {}

  void reset() { run_.reset(); }
  int iterate(Trace& trace) {
    const int iters = run_.iterate(trace);
    if (setting_.hybrid) triangle::count(trace, constants_, iters);
    return iters;
  }
  Solution<T> download() { return run_.download(); }

 private:
  Plan plan(const ProblemShape& p) const {
    Plan plan = setting_.hybrid ? triangle::hybrid_plan(p, constants_, setting_.test_ranks)
                                : Plan{.reinforced = setting_.reinforced, .rearranged = setting_.reinforced};
    plan.settled = setting_.settled;
    return plan;
  }

  Setting setting_;
  triangle::Constants constants_;
  triangle::HostDriven<T> run_;
};

const Register<Published> registration{{
    .summary = "standard, reinforced or hybrid without our rule for short runs: centroids in shared or global memory, any threshold of M",
    .paper = "wu2011",
    .device = Device::gpu,
    .parameters = {{"algorithm", "hybrid", {"hybrid", "reinforced", "standard"}, false, "Figure 4, Algorithms 2 to 4, Algorithm 1"},
                   {"centroids", "shared", {"shared", "global"}, false, "memory of the centroids; shared: where they fit"},
                   {"settled", 10, {0, 1, 10, 100, 1000}, false, "change of the mean M that ends epoch 1, in thousandths of it; 0: none does"},
                   {"rank_test", "measured", {"measured", "passed"}, false, "hybrid: k log k against c n d / b; passed: left out"}},
    .unsupported = [](const ProblemShape& p, const Config&, int) { return triangle::too_large(p); },
    .work = triangle::least_work,
}};

}  // namespace
}  // namespace km

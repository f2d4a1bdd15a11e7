// wu2011's three CUDA algorithms under the paper's own conditions. The hybrid is without our rule for short runs (hybrid.cu), so that the 4 iterations
// of Figures 6(d) and 7 are tested. `centroids` global is the memory that Figure 7 explains: a card of 2008 held few centroids in shared memory.
// `settled` is the preset threshold of M (Section III). `rank_test` passed lets the hybrid rank its centroids where this machine's constants forbid
// it: ranking takes the host as long as before, a card labels much faster. Table I's column k = 1024 is such a run.
// Cost: that of standard.cu, reinforced.cu or hybrid.cu.
#include "impl/gpu/triangle/calibration.cuh"

namespace km {
namespace {

using triangle::Plan;

template <class T>
Plan plan_of(const Problem<T>& p, const Config& config) {
  Plan plan;
  if (const auto& algorithm = config.word("algorithm"); algorithm == "hybrid")
    plan = triangle::hybrid_plan(p, triangle::constants<T>(triangle::launch_of(config)), config.word("rank_test") == "measured");
  else plan.reinforced = plan.rearranged = algorithm == "reinforced";
  plan.settled = double(config.integer("settled")) / 1000;
  return plan;
}

template <class T>
struct Published : triangle::HostDriven<T> {
  Published(const Problem<T>& problem, const Config& config, Trace& trace) : Published(problem, config, trace, plan_of(problem, config)) {}

 private:
  /// The plan comes first: measuring its constants sets the shared memory of the same kernels.
  Published(const Problem<T>& problem, const Config& config, Trace& trace, Plan plan)
      : triangle::HostDriven<T>(problem, trace, triangle::launch_of(config), plan,
                                triangle::kernels<T, true, true>(problem.d, problem.k, config.word("centroids") == "shared"),
                                triangle::Cutoff<T>(problem.d)) {}
};

std::vector<Parameter> parameters() {
  auto all = triangle::launch_parameters();
  all.push_back({"algorithm", "hybrid", {"hybrid", "reinforced", "standard"}, false, "Figure 4, Algorithms 2 to 4, Algorithm 1"});
  all.push_back({"centroids", "shared", {"shared", "global"}, false, "memory of the centroids; shared: where they fit"});
  all.push_back({"settled", 10, {0, 1, 10, 100, 1000}, false, "change of the mean M that ends epoch 1, in thousandths of it"});
  all.push_back({"rank_test", "measured", {"measured", "passed"}, false, "hybrid: k log k against c n d / b; passed: as if it were below"});
  return all;
}

const Register<Published> registration{{
    .summary =
        "standard, reinforced or hybrid as the paper runs them: no rule for short runs, centroids in shared or global memory, any threshold of M",
    .paper = "wu2011",
    .device = Device::gpu,
    .parameters = parameters(),
    .unsupported = [](const ProblemShape& p, const Config&, int) { return triangle::too_large(p); },
    .work = triangle::least_work,
}};

}  // namespace
}  // namespace km

// wu2011's three CUDA algorithms under conditions that the paper states and its own files here do not keep: the hybrid without our rule for short runs
// (hybrid.cu), any threshold of M (Section III), and centroids "stored on the global memory" (Section V.C), the memory of Figure 7. `rank_test` passed
// leaves out the hybrid's first test, because today's cards fail it at every large k: they label much faster than their host ranks.
// Cost: that of standard.cu, reinforced.cu or hybrid.cu.
#include "impl/gpu/triangle/calibration.cuh"

namespace km {
namespace {

triangle::Plan plan(const ProblemShape& p, const Config& config, const triangle::Constants& constants) {
  const bool hybrid = config.word("algorithm") == "hybrid", reinforced = config.word("algorithm") == "reinforced";
  triangle::Plan plan{.reinforced = reinforced, .rearranged = reinforced};
  if (hybrid) plan = triangle::hybrid_plan(p, constants, config.word("rank_test") == "measured");
  plan.settled = double(config.integer("settled")) / 1000;
  return plan;
}

template <class T>
struct Published : triangle::Calibrated<T> {
  Published(const Problem<T>& problem, const Config& config, Trace& trace)
      : triangle::Calibrated<T>(problem, trace, {30, 256}, config.word("algorithm") == "hybrid", config.word("centroids") == "shared",
                                [&](const triangle::Constants& constants) { return plan(problem, config, constants); }) {}
};

const Register<Published> registration{triangle::ranked_description(
    "standard, reinforced or hybrid without our rule for short runs: centroids in shared or global memory, any threshold of M",
    {{"algorithm", "hybrid", {"hybrid", "reinforced", "standard"}, false, "Figure 4, Algorithms 2 to 4, Algorithm 1"},
     {"centroids", "shared", {"shared", "global"}, false, "memory of the centroids; shared: where they fit"},
     {"settled", 10, {0, 1, 10, 100, 1000}, false, "change of the mean M that ends epoch 1, in thousandths of it; 0: none does"},
     {"rank_test", "measured", {"measured", "passed"}, false, "hybrid: k log k against c n d / b; passed: left out"}})};

}  // namespace
}  // namespace km

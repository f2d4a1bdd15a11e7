// Skips distances by the triangle inequality between centroids. Idea, bound and cost: reinforced.hpp.
#include "impl/cpu/triangle/reinforced.hpp"
#include "impl/cost_terms.hpp"

namespace km {
namespace {

const Register<Reinforced> registration{{
    .summary = "one thread; each point tries centroids by their distance from its own, up to twice its own: distances between centroids anew every "
               "iteration",
    .paper = "wu2011",
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      return p.k > 16'384 ? "k over 16384: the distances between centroids and their ranks take up to 12 k² bytes" : "";
    },
    .work = triangle::least_work,
    .cost = [](const ProblemShape& p, const Config&, int value_bytes) -> std::vector<double> {
      const cost::Counts c(p, value_bytes);
      return {1, c.iters, c.iters * c.n * c.d, c.iters * c.n * c.k * c.d, c.early() * c.n * c.k * c.d, c.iters * c.k * c.k * c.d};
    },
}};

}  // namespace
}  // namespace km

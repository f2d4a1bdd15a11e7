// Few dimensions, over all points. Idea and cost: tree.hpp.
#include "impl/cpu/lloyd/tree.hpp"
#include "impl/cost_terms.hpp"

namespace km {
namespace {

/// The run, iterations, woken threads, distances to candidates, their coordinates, centroids, labels. Where clusters and leaves are cubes, a leaf meets
/// (1 + side of a leaf / side of a cluster)^d clusters; one costs nothing.
std::vector<double> cost_of(const ProblemShape& p, const Config& config, int value_bytes) {
  const cost::Counts c(p, value_bytes);
  const double threads = threads_of(config), leaf = double(config.number("bucket"));
  const double met = std::min(c.k, std::pow(1 + std::pow(c.k * leaf / std::max(c.n, leaf), 1 / c.d), c.d));
  const double distances = c.iters * c.n / threads * (met - 1);
  return {1, c.iters, c.iters * (threads - 1), distances, distances * c.d, c.iters * c.k * std::log2(1 + c.k), c.n / threads};
}

const Register<Tree> registration{{
    .summary = "few dimensions: a kd-tree whose nodes drop centroids that are farther than another from all of their box",
    .parameters = tree_parameters(),
    .unsupported = too_many_dimensions,
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 8; },
    .work = tree_work,
    .cost = cost_of,
}};

}  // namespace
}  // namespace km

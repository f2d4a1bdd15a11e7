// lutz2018's multi-pass strategy (Sections 3 and 6.2.3): assignment, feature sum and mass sum in sequence. The sums' strategies are parameters,
// because the paper compares them alone (Figures 6 and 7) and in whole iterations. Defaults: its choice for few clusters. Points are column-major.
// Cost of an iteration: points read twice, labels read three times, changed labels written.
#include "impl/gpu/lloyd/column_assign.cuh"
#include "impl/gpu/lloyd/feature_sum.cuh"
#include "impl/gpu/lloyd/mass_sum.cuh"
#include "impl/gpu/registration.hpp"

namespace km {
namespace {

template <class T>
class MultiPass : public cuda::OnLloyd<T> {
 public:
  MultiPass(const Problem<T>& problem, const Config& config, Trace& trace)
      : cuda::OnLloyd<T>(problem, trace, cuda::Layout::columns), block_(config.integer("block")), running_(problem.d, problem.k),
        feature_sum_(config.word("feature_sum"), problem.n, problem.d, problem.k, block_, config.integer("grid")),
        mass_sum_(config.word("mass_sum"), problem.n, problem.k, block_, config.integer("grid")) {}

  int iterate(Trace& trace) {
    return lloyd_.run(trace, {{"assign", [this] { assign(); }},
                              {"feature_sum", [this] { sum_features(); }},
                              {"mass_sum", [this] { sum_masses(); }},
                              {"average", [this] { running_.average(lloyd_.assigned(), lloyd_.next(), lloyd_.stream()); }}});
  }

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void assign() {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    lutz::assign(points_.data(), lloyd_.assigned(), n, d, k, block_, lloyd_.labels(), lloyd_.changed(), lloyd_.stream());
  }
  void sum_features() {
    running_.clear_sums(lloyd_.stream());
    feature_sum_.add(points_.data(), lloyd_.labels(), lloyd_.shape().n, running_.sums(), lloyd_.stream());
  }
  void sum_masses() {
    running_.clear_counts(lloyd_.stream());
    mass_sum_.add(lloyd_.labels(), lloyd_.shape().n, running_.counts(), lloyd_.stream());
  }

  int block_;
  lutz::Running<T> running_;
  lutz::FeatureSum<T> feature_sum_;
  lutz::MassSum mass_sum_;
};

const Register<MultiPass> registration{{
    .summary = "assignment, feature sum and mass sum in passes of their own, the sums by the paper's strategies",
    .paper = "lutz2018",
    .device = Device::gpu,
    .parameters = {{.name = "feature_sum",
                    .fallback = "partitioned features",
                    .range = {"cluster merge", "partitioned features"},
                    .help = "a thread adds whole points, or one feature"},
                   {.name = "mass_sum",
                    .fallback = "partitioned private",
                    .range = {"global atomic", "partitioned global", "partitioned local", "partitioned private"},
                    .help = "one histogram, one per block in global or local memory, or one per thread"},
                   tunable("block", 128, {32, 64, 128, 256}, "threads of a block, a multiple of 32"),
                   tunable("grid", 2112, {132, 264, 528, 1056, 2112, 4224}, "blocks of the sums; they share the points")},
    .unsupported = [](const ProblemShape& p, const Config& config, int) -> std::string {
      return config.integer("block") % 32 != 0 ? "block is not a multiple of 32" : counts_overflow(p);
    },
    .summation_depth = [](const ProblemShape& p, const Config& config) -> std::int64_t {
      return lutz::feature_sum_depth(config.word("feature_sum"), p, config.integer("block"), config.integer("grid"));
    },
}};

}  // namespace
}  // namespace km

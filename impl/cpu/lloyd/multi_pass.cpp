// lutz2018's multi-pass strategy on the CPU (Section 3): assign reads the points and writes labels. The update reads both twice, in a feature sum
// and a mass sum, each by one of the paper's strategies. The phases feature_sum and mass_sum are the paper's micro-benchmarks (Figures 6 and 7).
// Cost of an iteration: points read twice, labels written once and read twice; 3 n k d + n d flops.
#include "impl/cpu/lloyd/columns.hpp"
#include "impl/cpu/lloyd/feature_sum.hpp"
#include "impl/cpu/lloyd/mass_sum.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

template <class T>
class MultiPass : public CpuSolver<T> {
 public:
  MultiPass(const Problem<T>& problem, const Config& config, Trace& trace)
      : CpuSolver<T>(problem), threads_(threads_of(config)), x_(p_, threads_, trace), feature_sum_(config.word("feature_sum"), p_.d, p_.k, threads_),
        mass_sum_(config.word("mass_sum"), p_.k, threads_) {}

  int iterate(Trace& trace) {
    return this->repeat(trace, [&] {
      const std::int64_t changed = assign(trace);
      average(trace, sum_features(trace), sum_masses(trace));
      return changed;
    });
  }

 private:
  std::int64_t assign(Trace& trace) {
    const auto phase = trace.phase("assign");
    out_.assigned_centroids = out_.centroids;
    const auto assign = columns::assign_for<T>(p_.d);
    std::int64_t changed = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : changed)
    {
      const columns::Share mine(p_.n, omp_get_thread_num(), omp_get_num_threads());
      changed += assign(x_, mine.first, mine.last, out_.assigned_centroids.data(), p_.k, out_.labels.data());
    }
    return changed;
  }

  const std::vector<double>& sum_features(Trace& trace) {
    const auto phase = trace.phase("feature_sum");
    return feature_sum_(x_, out_.labels.data());
  }

  const std::vector<std::int64_t>& sum_masses(Trace& trace) {
    const auto phase = trace.phase("mass_sum");
    return mass_sum_(out_.labels.data(), p_.n);
  }

  void average(Trace& trace, const std::vector<double>& sums, const std::vector<std::int64_t>& counts) {
    const auto phase = trace.phase("average");
    for (std::size_t cell = 0; cell < sums.size(); ++cell)
      if (const auto count = counts[cell / p_.d]; count > 0) out_.centroids[cell] = T(sums[cell] / double(count));  // empty clusters keep theirs
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  int threads_;
  columns::Columns<T> x_;
  columns::FeatureSum<T> feature_sum_;
  MassSum mass_sum_;
};

const Register<MultiPass> registration{{
    .summary = "points as columns; assign, feature sum and mass sum one after the other, each sum by a strategy of the paper",
    .paper = "lutz2018",
    .parameters = {{.name = "feature_sum",
                    .fallback = "partitioned features",
                    .range = {"partitioned features", "cluster merge"},
                    .help = "who adds what: a thread features of all points, or points to a table of its own"},
                   {.name = "mass_sum",
                    .fallback = "partitioned private",
                    .range = {"partitioned private", "partitioned local", "partitioned global", "global atomic"},
                    .help = "whose histogram a label is counted in"},
                   threads_parameter()},
    .summation_depth = [](const ProblemShape& p, const Config&) -> std::int64_t {
      return columns::FeatureSum<float>::tile + p.n / columns::FeatureSum<float>::tile + 256;
    },
}};

}  // namespace
}  // namespace km

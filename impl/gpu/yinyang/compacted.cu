// Idea: compacted.cuh. Limits and measurements: docs/kernels.md.
// Limit: while most points move, no bound holds, and gpu/lloyd/screened with wgmma is faster. With few clusters and few dimensions
// gpu/lloyd/resident reads hardly more than the bounds.
#include "impl/cost_terms.hpp"
#include "impl/gpu/over_distinct.hpp"
#include "impl/gpu/yinyang/compacted.cuh"

namespace km {
namespace {

template <class T>
struct OfBounds : compacted::Compacted<T> {
  using compacted::Compacted<T>::Compacted;
};

const Register<OfBounds> registration{{
    .summary = "bounds leave most points alone, tensor cores and exact differences take the compacted rest, all iterations in one kernel",
    .paper = "taylor2021",
    .device = Device::gpu,
    .parameters = compacted::parameters(),
    .unsupported = [](const ProblemShape& p, const Config&, int) { return compacted::too_large(p); },
    .fixed_point = true,
    .cost = [](const ProblemShape& p, const Config&, int value_bytes) -> std::vector<double> {
      const cost::Counts c(p, value_bytes);
      const bool products = p.d >= compacted::least_products;
      const double cells = products ? c.padded_cells() : 0, scores = products ? c.padded_k() : 0, differences = products ? 0 : c.k * c.d;
      // Of the points past their bounds, more of them early: products, comparisons and differences.
      return {1,
              c.iters,
              c.iters * c.n * c.d * c.bytes,
              c.iters * c.n * cells,
              c.iters * c.n * scores,
              c.iters * c.n * differences,
              c.early() * c.n * cells,
              c.early() * c.n * differences,
              c.n * c.d,
              c.iters * c.n,
              c.iters * c.k * c.d,
              c.iters * c.k * c.k * c.d};
    },
}};

}  // namespace

template <class T>
std::unique_ptr<AnySolver<T>> compacted::over_distinct(const Problem<T>& problem, const Config& config, Trace& trace) {
  cuda::DistinctRows<T> rows = cuda::distinct_rows(problem, trace);
  return std::make_unique<Compacted<T>>(rows.among(problem), config, trace, 1.0f, &rows);
}
template std::unique_ptr<AnySolver<float>> compacted::over_distinct(const Problem<float>&, const Config&, Trace&);
template std::unique_ptr<AnySolver<double>> compacted::over_distinct(const Problem<double>&, const Config&, Trace&);

}  // namespace km

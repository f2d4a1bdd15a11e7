// Idea: compacted.cuh. Limits and measurements: docs/kernels.md.
// Limit: while most points move, no bound holds, and gpu/lloyd/screened with wgmma is faster. With few clusters and few dimensions
// gpu/lloyd/resident reads hardly more than the bounds.
#include "impl/cost_terms.hpp"
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
    .cost =
        [](const ProblemShape& p, const Config& config, int value_bytes) {
          const cost::Counts c(p, value_bytes);
          std::vector<double> terms = cost::products(p, config, value_bytes);  // of the points past their bounds, more of them early
          for (const double term : {c.early() * c.n * c.padded_cells(), c.iters * c.n, c.iters * c.k * c.k * c.d}) terms.push_back(term);
          return terms;
        },
}};

}  // namespace
}  // namespace km

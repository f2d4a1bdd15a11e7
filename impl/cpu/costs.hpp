// Costs of the CPU implementations (Description::cost): work shared by threads, and what each thread adds.
#pragma once

#include "impl/cost_terms.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

/// Lloyd's: the run, iterations, woken threads, points, their bytes, multiply-adds, comparisons, sums of all threads.
inline std::vector<double> lloyd_cost(const ProblemShape& p, const Config& config, int value_bytes) {
  const cost::Counts c(p, value_bytes);
  const double threads = threads_of(config), share = c.n / threads;
  return {1,
          c.iters,
          c.iters * (threads - 1),
          c.iters * share,
          c.iters * share * c.d * c.bytes,
          c.iters * share * c.k * c.d,
          c.iters * share * c.k,
          c.iters * threads * c.k * c.d};
}

/// Bounds with `groups` lower bounds a point: Lloyd's, what the early iterations read and multiply, and the bounds.
inline std::vector<double> bounds_cost(const ProblemShape& p, const Config& config, int value_bytes, double groups) {
  const cost::Counts c(p, value_bytes);
  const double share = c.n / threads_of(config);
  std::vector<double> terms = lloyd_cost(p, config, value_bytes);
  terms.push_back(c.early() * share * c.d * c.bytes);
  terms.push_back(c.early() * share * c.k * c.d);
  terms.push_back(c.iters * share * groups);
  return terms;
}

}  // namespace
}  // namespace km

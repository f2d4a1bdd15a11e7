// The loop of all two-phase implementations: phases, iteration count and stop.
#pragma once

#include "bench/contract/problem.hpp"
#include "bench/contract/trace.hpp"

namespace km {

/// Runs assign() (returns the number of changed labels) and update() until the problem's stop. Returns the iterations made.
template <class Assign, class Update>
int lloyd(const ProblemShape& shape, Trace& trace, Assign assign, Update update) {
  for (int iter = 1;; ++iter) {
    trace.begin_iteration();
    std::int64_t changed = 0;
    {
      const auto phase = trace.phase("assign");
      changed = assign();
    }
    {
      const auto phase = trace.phase("update");
      update();
    }
    if (iter == shape.max_iters || shape.converged(changed)) return iter;
  }
}

}  // namespace km

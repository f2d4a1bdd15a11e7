// The least that an iteration which skips distances by those between centroids has to do: each point to its own centroid, all centroids to each other.
#pragma once

#include "bench/contract/implementation.hpp"

namespace km::triangle {

inline Work least_work(const ProblemShape& p, const Config& config, int value_bytes) {
  const double n = double(p.n), pairs = double(p.k) * (p.k - 1) / 2;
  return {lloyd_work(p, config, value_bytes).bytes, 3 * p.d * (n + pairs) + n * p.d};
}

}  // namespace km::triangle

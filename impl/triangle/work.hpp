// Work of iterations that skip distances by those between centroids.
#pragma once

#include <algorithm>
#include <vector>

#include "bench/contract/implementation.hpp"

namespace km::triangle {

/// Each point to its own centroid, all centroids to each other.
inline Work least_work(const ProblemShape& p, const Config& config, int value_bytes) {
  const double n = double(p.n), pairs = double(p.k) * (p.k - 1) / 2;
  return {lloyd_work(p, config, value_bytes).bytes, 3 * p.d * (n + pairs) + n * p.d};
}

/// Counts M, the distances per point in processing order, and the share of time that warps wait for their slowest thread (wu2011, Equation 2).
template <class M>
void count_m(Trace& trace, const std::vector<M>& m) {
  double total = 0, in_step = 0;
  for (auto first = m.begin(); first != m.end();) {
    const auto end = first + std::min<std::ptrdiff_t>(32, m.end() - first);
    in_step += double(*std::max_element(first, end)) * double(end - first);
    for (; first != end; ++first) total += *first;
  }
  trace.count("distances", total);
  trace.count("mean_m", total / double(m.size()));
  trace.count("warp_imbalance", in_step / total - 1);
}

}  // namespace km::triangle

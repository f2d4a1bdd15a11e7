// What the adapters of FAISS share.
#pragma once

#include <limits>
#include <string>

#include "bench/contract/implementation.hpp"

namespace km {

constexpr const char* faiss_departs = "an empty cluster is moved beside another, which moves aside";

/// Why FAISS cannot solve the problem, or "".
inline std::string no_faiss(const ProblemShape& p) {
  if (p.tolerance >= 0) return "FAISS has no test for convergence: give no tolerance";
  if (p.n <= p.k) return "FAISS takes the points themselves for centroids where there are no more of them";
  if (p.n > std::numeric_limits<int>::max()) return "FAISS would take a sample of more than 2^31 points";
  if (p.max_iters < 3) return "FAISS gives no labels: finding them pays for itself from 3 iterations on";
  return "";
}

}  // namespace km

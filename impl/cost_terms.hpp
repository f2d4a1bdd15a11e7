// Terms of costs (Description::cost) that several implementations state. auto weighs them with the seconds that a calibration found.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/contract/implementation.hpp"

namespace km::cost {

/// Counts of a run as factors of terms. GPU implementations have one "thread".
struct Counts {
  Counts(const ProblemShape& p, int value_bytes) : n(double(p.n)), d(p.d), k(p.k), iters(p.max_iters), bytes(value_bytes) {}
  double n, d, k, iters, bytes;
  /// The first iterations, in which most points move and bounds rule out little.
  double early() const { return std::min(iters, 8.0); }
  /// Values of all centroids in whole tiles of tensor cores.
  double padded_cells() const { return 16 * std::ceil(d / 16) * padded_k(); }
  double padded_k() const { return 128 * std::ceil(k / 128); }
};

/// Plain Lloyd's on the GPU: the run, iterations, bytes of points and labels, multiply-adds, comparisons, sums of blocks.
inline std::vector<double> plain(const ProblemShape& p, const Config&, int value_bytes) {
  const Counts c(p, value_bytes);
  return {1, c.iters, c.iters * c.n * (c.d * c.bytes + 4), c.iters * c.n * c.k * c.d, c.iters * c.n * c.k, c.iters * c.k * c.d};
}

/// A kernel that adds only the points that moved: plain, and the first sums.
inline std::vector<double> moved(const ProblemShape& p, const Config& config, int value_bytes) {
  std::vector<double> terms = plain(p, config, value_bytes);
  terms.push_back(double(p.n) * p.d);
  return terms;
}

/// Products on tensor cores screen the distances: bytes, products, comparisons, and the first sums.
inline std::vector<double> products(const ProblemShape& p, const Config&, int value_bytes) {
  const Counts c(p, value_bytes);
  return {1, c.iters, c.iters * c.n * c.d * c.bytes, c.iters * c.n * c.padded_cells(), c.iters * c.n * c.padded_k(), c.iters * c.k * c.d, c.n * c.d};
}

}  // namespace km::cost

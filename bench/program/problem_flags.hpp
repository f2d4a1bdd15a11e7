// The flags that name one problem: points, shape, start and stop, one value each.
#pragma once

#include <string>
#include <vector>

#include "bench/plan/sweep.hpp"
#include "bench/program/command.hpp"

namespace km {

struct ProblemFlags {
  std::string dataset, data, n, d, k, precision, max_iters, tolerance, init, seed;
  std::vector<std::string> settings;  // of the generator

  Options options();
  /// All but the points.
  Options shape_options();
  /// The axes of a sweep with one value each, without the implementation. Throws UserError for what is missing, given twice or a list.
  Sweep sweep() const;
};

/// "60s", "2m", "1h" or "60" in seconds. Throws UserError.
double seconds_of_budget(const std::string& text);

/// "1,2,4" or "1:64:x2" to its values. Throws UserError for an empty one.
std::vector<Scalar> values_of_list(const std::string& flag, const std::string& text);

}  // namespace km

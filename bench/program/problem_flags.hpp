// Flags of one problem: points, shape, start and stop, one value each.
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
  /// All flags but those of the points.
  Options shape_options();
  /// Returns a sweep of single values without the implementation. Throws UserError for values that are missing, duplicate or lists.
  Sweep sweep() const;
};

/// Parses "60s", "2m", "1h" or "60" (seconds). Throws UserError.
double seconds_of_budget(const std::string& text);

/// Parses "1,2,4" or "1:64:x2". Throws UserError for an empty value.
std::vector<Scalar> values_of_list(const std::string& flag, const std::string& text);

}  // namespace km

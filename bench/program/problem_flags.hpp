// Flags of one problem, or of a sweep over problems: points, shape, start and stop.
#pragma once

#include <string>
#include <vector>

#include "bench/plan/sweep.hpp"
#include "bench/program/command.hpp"

namespace km {

struct ProblemFlags {
  bool lists = false;  // a flag may hold several values
  std::string dataset, data, n, d, k, precision, max_iters, tolerance, init, seed;
  std::vector<std::string> settings;  // of the generator

  Options options();
  /// All flags but those of the points.
  Options shape_options();
  /// Returns a sweep without the implementation. Throws UserError for values that are missing or duplicate, or lists where one value is needed.
  Sweep sweep() const;
};

/// Adds "packages=1,10" as <prefix>packages. Throws UserError for a name that is given twice.
void add_settings(Sweep& sweep, const std::string& flag, const std::string& prefix, const std::vector<std::string>& settings, bool lists);

/// Loads the points of a case, to report faults of a file before anything runs. Throws as load_dataset does.
void check_points(const Case& c);

/// Parses "60s", "2m", "1h" or "60" (seconds). Throws UserError.
double seconds_of_budget(const std::string& text);

/// Parses "1,2,4" or "1:64:x2". Throws UserError for an empty value.
std::vector<Scalar> values_of_list(const std::string& flag, const std::string& text);

}  // namespace km

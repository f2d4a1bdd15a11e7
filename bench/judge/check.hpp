// Checks every implementation on every awkward shape: through the judge and its replay.
#pragma once

#include <functional>

#include "bench/contract/implementation.hpp"

namespace km {

/// A small problem that some implementation got wrong. Points are row-major and generated from a seed.
struct Shape {
  std::string name;  // "k = n"
  int n, d = 4, k = 5, max_iters = 5;
  double tolerance = -1;
  std::function<double(int i, int j)> point;          // dimension j of point i
  std::function<double(int c, int j)> centroid = {};  // empty: the first k points
};

const std::vector<Shape>& awkward_shapes();
/// Returns the awkward shape of this name, or the huge one.
const Shape& shape_named(std::string_view name);

/// `wrong` is the fault, or ""; `skip` is the reason for not running, or "".
struct CheckResult {
  std::string name, wrong, skip;
};

/// One implementation, shape, precision and config.
struct Check {
  std::string name;  // implementation/precision/shape/parameters
  const Implementation* implementation;
  Precision precision;
  const Shape* shape;
  Config config;
};

/// Returns the checks whose name matches the regular expression. Throws UserError if there is none.
/// huge: adds n d above 2^31 on the GPU (30 GiB of host memory). defaults: default parameter values only.
std::vector<Check> plan_checks(const std::string& filter, bool huge, bool defaults);

/// Throws device::Error if the GPU's context is lost.
CheckResult run_check(const Check& check);

}  // namespace km

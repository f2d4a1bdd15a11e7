// Every implementation on every awkward shape, through the judge and against fp64 Lloyd's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/implementation.hpp"

namespace km {

/// A small problem that has gone wrong somewhere before. Points are row-major, made anew from a seed.
struct Shape {
  std::string name;  // "k = n"
  int n, d, k, max_iters;
  double tolerance = -1;
  std::function<double(int i, int j)> point;     // the value of dimension j of point i
  std::function<double(int c, int j)> centroid;  // empty: the first k points
};

const std::vector<Shape>& awkward_shapes();

/// One line a check; `wrong` says what, empty when right; `skip` why it did not run.
struct CheckResult {
  std::string name, wrong, skip;
};

/// One implementation on one shape, in one precision, with one config.
struct Check {
  std::string name;  // implementation/precision/shape/parameters
  const Implementation* implementation;
  Precision precision;
  const Shape* shape;
  Config config;
};

/// The checks whose name matches the regular expression. Throws UserError where none does.
/// huge: also n d above 2^31 on the GPU (30 GiB of host memory). defaults: only with the parameters' default values.
std::vector<Check> plan_checks(const std::string& filter, bool huge, bool defaults);

/// Throws device::Error when the GPU's context is lost.
CheckResult run_check(const Check& check);

}  // namespace km

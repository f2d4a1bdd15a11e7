// Every implementation on every awkward shape, through the judge and against fp64 Lloyd's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/implementation.hpp"

namespace km {

/// A small problem that has gone wrong somewhere before. Points are row-major, made anew from a seed.
struct Shape {
  std::string name;        // "k = n"
  int n, d, k, iters;
  double tolerance = -1;
  std::function<double(int i, int j)> point;     // the value of dimension j of point i
  std::function<double(int c, int j)> centroid;  // empty: the first k points
};

const std::vector<Shape>& awkward_shapes();

/// One line a check; `wrong` says what, empty when right; `skip` why it did not run.
struct CheckResult {
  std::string name, wrong, skip;
};

/// Run the checks whose name (implementation/precision/shape/parameters) matches the regular expression; each is told as it ends.
/// huge: also n d above 2^31 on the GPU (30 GiB of host memory). defaults: only with the parameters' default values.
void run_checks(const std::string& filter, bool huge, bool defaults, const std::function<void(const CheckResult&)>& tell);

}  // namespace km

// Helpers of tests of cases: a right sweep and its one case, with some axes replaced.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/plan/sweep.hpp"

namespace km {

using Scalars = std::vector<Scalar>;
using Axes = std::map<std::string, Scalars, std::less<>>;

inline Scalar whole(std::int64_t value) { return value; }
inline Scalar word(const std::string& text) { return text; }

/// two_step on 1000 blobs in 4 clusters.
inline Sweep sweep_with(const Axes& replaced = {}) {
  Sweep sweep{.axes = {{"implementation", {word("cpu/lloyd/two_step")}}, {"dataset", {word("blobs")}}, {"n", {whole(1000)}}, {"k", {whole(4)}}},
              .where = "",
              .patterns = false};
  for (const auto& [name, values] : replaced) sweep.axes[name] = values;
  return sweep;
}

inline Case case_with(const Axes& replaced = {}) { return expand(sweep_with(replaced), "", "paper").at(0); }

/// naive on 100 blobs in 3 clusters.
inline Case some_case(const Axes& replaced = {}) {
  Axes axes = {{"implementation", {word("cpu/lloyd/naive")}}, {"n", {whole(100)}}, {"k", {whole(3)}}};
  for (const auto& [name, values] : replaced) axes[name] = values;
  return case_with(axes);
}

}  // namespace km

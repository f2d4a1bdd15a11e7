// Helpers of tests of result lines: a measurement and its line, and lines without one.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/run/measure.hpp"
#include "bench/run/result.hpp"
#include "tests/sweeps.hpp"

namespace km {

/// Runs of four of at most ten iterations, so that a wrong divisor shows.
inline Measurement measured(std::vector<double> samples_s) {
  Measurement m;
  m.dataset_hash = "00";
  m.line.samples_s = std::move(samples_s);
  m.downloads_s = {30, 1, 2};
  m.iters = 4;
  m.judgement = {.verdict = "", .inertia = 5, .mean_error = 0.5, .wrong_labels = 1, .judged_points = 100, .cluster_sizes = {50, 30, 20}};
  return m;
}

/// The line of this measurement.
inline Json line_with(const Measurement& m) {
  Json line = skeleton(some_case(), {}, "here");
  add_measurement(line, some_case(), m);
  return line;
}

inline Json line_of(const std::string& id, const Json& verdict, const Json& failure = nullptr) {
  Json line = skeleton(some_case(), {"kmbench"}, "here");
  line["case"] = id;
  line["verdict"] = verdict;
  line["failure"] = failure;
  return line;
}

}  // namespace km

// Finds the rates of the cost model (bench/contract/cost_model.hpp). Fits the seconds of each term of a cost to measured runs, by least squares of
// the relative error, none negative. Its own measurements only guide a choice: no judge, no result lines.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "bench/contract/cost_model.hpp"
#include "bench/plan/case.hpp"

namespace km {

/// A run.
struct CostSample {
  std::vector<double> terms;
  double seconds = 0;
};

/// Minimizes the sum of (predicted / measured - 1)² over rates of at least 0, by coordinates in turn (Franc, Hlaváč and Navara, CAIP 2005). The
/// spread has as many degrees of freedom as there are samples beyond the rates above 0.
Rates fit_rates(const std::vector<CostSample>& samples);

/// Fits every implementation and precision with at least eight runs.
CostModel fitted(const std::map<CostModel::Key, std::vector<CostSample>>& samples);

/// The same from result lines. all_threads: of the machine that recorded them. Leaves out lines without a time, disturbed or incremental ones, and
/// those with other parameters than the defaults (threads apart).
CostModel fit_costs(const std::vector<Json>& lines, int all_threads);

struct CalibrationOptions {
  Device device = Device::cpu;
  int threads = 1;                            // of this machine; the CPU's implementations run with all of them and with one
  double budget_s = 60;                       // no new implementation begins later
  double most_points = 5e5, most_work = 2e7;  // n, and n k d, of a problem
  std::function<void(int problems, double seconds)> progress = {};
};

/// Runs every implementation that states a cost on generated problems, for five iterations and until labels rest, and fits the rates.
CostModel calibrate(const CalibrationOptions& options);

}  // namespace km

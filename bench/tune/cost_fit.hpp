// Finds the seconds of each term of a cost from measured runs: least squares of the relative error, none negative.
#pragma once

#include <map>
#include <vector>

#include "bench/contract/cost_model.hpp"
#include "bench/plan/case.hpp"

namespace km {

/// A run: its terms, and its seconds.
struct CostSample {
  std::vector<double> terms;
  double seconds = 0;
};

/// Minimizes the sum of (foretold / measured - 1)² over rates of at least 0, by coordinates in turn (Franc, Hlaváč and Navara, CAIP 2005). The
/// spread has as many degrees of freedom as there are samples beyond the rates above 0.
Rates fit_rates(const std::vector<CostSample>& samples);

/// Fits every implementation and precision with at least eight runs.
CostModel fitted(const std::map<CostModel::Key, std::vector<CostSample>>& samples);

/// The same from result lines. Lines without a time, disturbed or incremental ones, and those with
/// other parameters than the defaults (threads apart) are left out. all_threads: of the machine that recorded the lines.
CostModel fit_costs(const std::vector<Json>& lines, int all_threads);

}  // namespace km

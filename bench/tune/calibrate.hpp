// Measures implementations for the cost model (bench/contract/cost_model.hpp). These times only guide a choice: no judge, no result lines.
#pragma once

#include <cstdint>
#include <functional>

#include "bench/contract/cost_model.hpp"

namespace km {

struct CalibrationOptions {
  Device device = Device::cpu;
  int threads = 1;                            // of this machine; the CPU's implementations run with all of them and with one
  double budget_s = 60;                       // no new problem begins later
  double most_points = 1e6, most_work = 2e7;  // n, and n k d, of a problem
  std::function<void(int problems, double seconds)> progress = {};
};

/// Runs every implementation that states a cost on generated problems, for five iterations and until labels rest, and fits the rates.
CostModel calibrate(const CalibrationOptions& options);

}  // namespace km

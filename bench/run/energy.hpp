// Measures the energy of repeated runs: the field `energy` of a result line (docs/results.md).
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace km {

class EnergyMeter;

/// Repeats `run` between two steps of the meter, at least `least_s` apart. `run` makes one run and returns its iterations.
/// Returns {joules, iterations, window_s, source, skipped}. Unmeasured fields are null; `skipped` says why.
nlohmann::ordered_json energy_of(EnergyMeter& meter, const std::function<int()>& run, double least_s = 1);

/// Returns a sentence if the window's runs were too short for a timed run's work, or "". Caches are warm: a third of the time less 0.1 ms is allowed.
std::string explain_energy(double window_s, double runs, double sample_s);

}  // namespace km

// Energy of repeated runs, the field `energy` of a result line (docs/results.md).
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

namespace km {

class EnergyMeter;

/// Runs between two steps of the meter that are at least `least_s` apart; `run` makes one and returns its iterations.
/// {joules, iterations, window_s, source, skipped}; what could not be measured is null and `skipped` says why.
nlohmann::ordered_json energy_of(EnergyMeter& meter, const std::function<int()>& run, double least_s = 1);

}  // namespace km

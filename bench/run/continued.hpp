// Adds the missing repetitions to recorded cases. Their line continues the recorded one (docs/results.md).
#pragma once

#include <vector>

#include "bench/run/run.hpp"

namespace km {

/// Reduces `repetitions` of each case by the runs already recorded by this commit on this machine, and sets `continues`.
std::vector<Case> missing_runs(std::vector<Case> cases, const RunOptions& options);

}  // namespace km

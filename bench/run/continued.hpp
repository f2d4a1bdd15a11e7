// More repetitions of what was measured: the missing ones are made, and their line continues the recorded one (docs/results.md).
#pragma once

#include <vector>

#include "bench/run/run.hpp"

namespace km {

/// The cases. Those of which fewer runs are recorded than asked for, by this commit on this machine, are left with the missing ones.
std::vector<Case> missing_runs(std::vector<Case> cases, const RunOptions& options);

}  // namespace km

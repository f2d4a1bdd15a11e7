// Tunes parameters: searches a space, then measures the winner and the defaults again in a fresh process (docs/tuning.md).
#pragma once

#include <filesystem>

#include "bench/tune/point.hpp"
#include "bench/tune/space.hpp"

namespace km {

struct TuneOptions {
  std::string strategy = "descent";
  std::uint64_t seed = 1;
  double budget_s = 60;              // for the search, after the defaults have a time
  int repetitions = 2, at_last = 7;  // timed runs per point; of winner and defaults when measured again
  std::filesystem::path folder;      // tuning/
  bool same_machine = false;         // as --same-machine
  RunOptions run;                    // its machine is also the device's name in tuning/
};

/// Searches, measures the winner again, stores its values, prints both. Returns 0: stored; 1: no point has a time; 130: interrupted, and the same
/// command continues. Throws UserError if another tuning writes to the folder.
int tune(const TuningSpace& space, const TuneOptions& options);

}  // namespace km

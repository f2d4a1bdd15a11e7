// Tunes parameters: searches a space, then keeps what is surely faster than the defaults in rounds (docs/tuning.md).
#pragma once

#include <filesystem>

#include "bench/run/run.hpp"
#include "bench/tune/space.hpp"

namespace km {

struct TuneOptions {
  std::string strategy = "descent";
  std::uint64_t seed = 1;
  double budget_s = 60;              // for the search, after the defaults have a time; for the rounds again
  int repetitions = 2, rounds = 40;  // timed runs per setting; rounds of the fastest settings against the defaults
  std::string busy;                  // why this machine is not quiet enough; empty: it is, or shall be used anyway
  bool anyway = false;               // disturbed rounds count
  std::filesystem::path folder;      // tuning/
  bool same_machine = false;         // as --same-machine
  RunOptions run;                    // its machine is also the device's name in tuning/
};

/// Searches, measures the fastest settings again, stores the one that is surely faster than the defaults or else the defaults, prints all. Returns 0:
/// stored; 1: no setting has a time, or other programs disturbed most rounds; 130: interrupted, and the same command continues. Throws UserError if
/// the machine is busy or another tuning writes to the folder.
int tune(const TuningSpace& space, const TuneOptions& options);

}  // namespace km

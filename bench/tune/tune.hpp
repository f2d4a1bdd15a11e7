// Tunes parameters: searches a space in worker processes, then measures the winner and the defaults again in a fresh one (docs/tuning.md).
#pragma once

#include "bench/run/workers.hpp"
#include "bench/tune/history.hpp"
#include "bench/tune/point.hpp"
#include "bench/tune/strategy.hpp"

namespace km {

struct TuneOptions {
  std::string strategy = "descent";
  std::uint64_t seed = 1;
  double budget_s = 60;              // for the search, after the defaults have a time
  int repetitions = 2, at_last = 7;  // timed runs per point; of winner and defaults when measured again
  std::filesystem::path folder;      // tuning/
  bool same_machine = false;         // as --same-machine
  double timeout_s = 0;              // per point; 0: from its forecast
  double memory_bytes = 0;           // per worker; 0: available memory
  Provenance by;                     // its machine is also the device's name in tuning/
};

/// The result lines of a search: <folder>/<device>/gpu-lloyd-naive.jsonl. Winners and defaults measured again: ….winners.jsonl.
std::filesystem::path points_file(const TuneOptions& options, const std::string& implementation);
std::filesystem::path winners_file(const TuneOptions& options, const std::string& implementation);

/// Answers from the history. Calls `measure`, which may throw, for missing points.
Evaluate answering(const TuningSpace& space, const History& history, std::function<const Tried&(const Case&)> measure);

/// Parent: searches, measures the winner again, stores its values, prints both. Returns 0: stored; 1: no point has a time; 130: interrupted, and the
/// same command continues. Throws UserError if another tuning writes to the folder.
int tune(const TuningSpace& space, const TuneOptions& options);

int tune_at(const Inbox& inbox, const TuningSpace& space, const TuneOptions& options);

/// Environment variable with the worker's deadline in seconds of the steady clock.
constexpr const char* until_variable = "KMBENCH_TUNE_UNTIL";

}  // namespace km

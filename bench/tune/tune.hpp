// A tuning: a search over the points of a space in worker processes, then the winner beside the defaults in a fresh one (docs/tuning.md).
#pragma once

#include "bench/run/workers.hpp"
#include "bench/tune/history.hpp"
#include "bench/tune/point.hpp"
#include "bench/tune/strategy.hpp"

namespace km {

struct TuneOptions {
  std::string strategy = "descent";
  std::uint64_t seed = 1;
  double budget_s = 60;              // of searching, from when the defaults have their time
  int repetitions = 2, at_last = 7;  // timed runs of a point; of the winner and the defaults when measured again
  std::filesystem::path folder;      // tuning/
  bool same_machine = false;         // as --same-machine
  double timeout_s = 0;              // of one point; 0: from its forecast
  double memory_bytes = 0;           // of a worker; 0: what is available
  Recorder by;                       // its machine is also the device's name there
};

/// The result lines of a search: <folder>/<device>/gpu-lloyd-naive.jsonl; those of winners and defaults, measured again: ….winners.jsonl.
std::filesystem::path points_file(const TuneOptions& options, const std::string& implementation);
std::filesystem::path winners_file(const TuneOptions& options, const std::string& implementation);

/// Answers from what is known; what is missing is asked of `measure`, which may throw.
Evaluate answering(const TuningSpace& space, const History& history, std::function<const Tried&(const Case&)> measure);

/// Parent: search, measure the winner again, keep its values, print both. 0: kept; 1: no point has a time; 130: interrupted, and the same
/// command goes on. Throws UserError where another tuning writes to the folder.
int tune(const TuningSpace& space, const TuneOptions& options);

/// Worker of either part.
int tune_at(const Inbox& inbox, const TuningSpace& space, const TuneOptions& options);

/// The environment variable that tells a worker until when to search: the steady clock's seconds.
constexpr const char* until_variable = "KMBENCH_TUNE_UNTIL";

}  // namespace km

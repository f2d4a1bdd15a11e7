// Measures one case in a worker of a search: prepare, timed runs, judging and replay.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/plan/case.hpp"

namespace km {

/// Machine and command line, as recorded in every line.
struct Provenance {
  std::vector<std::string> argv;
  std::string machine;
};

/// Returns the line of a case with c.repetitions timed runs, and whether the process is still clean.
std::pair<Json, bool> measured(const Case& c, const Provenance& by);

/// Parses a worker's answer as a line. Returns a failure with the reason `why` if there is none.
Json line_of(const Case& c, const std::string& answer, const std::string& why, const Provenance& by);

/// Default time limit of a case in seconds: from its forecast, at least a minute.
double patience_s(const Case& c);

/// Seconds of the steady clock, equal in all processes of a machine.
double steady_now_s();

}  // namespace km

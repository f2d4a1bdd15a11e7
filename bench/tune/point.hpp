// One case measured in a worker of a search: prepared, timed, judged and replayed in one go.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/plan/case.hpp"

namespace km {

/// Who measures, as recorded in every line.
struct Recorder {
  std::vector<std::string> argv;
  std::string machine;
};

/// The line of a case with c.repetitions timed runs, and whether the process is still one to measure in.
std::pair<Json, bool> measured(const Case& c, const Recorder& by);

/// A worker's answer as a line; a failure's with the reason `why` where there is none.
Json line_of(const Case& c, const std::string& answer, const std::string& why, const Recorder& by);

/// Seconds after which a case is given up, where nobody says: from its forecast, a minute at least.
double patience_s(const Case& c);

/// Seconds of the steady clock, the same in all processes of a machine.
double steady_now_s();

}  // namespace km

// A point of a search: its line from a worker's answer.
#pragma once

#include <string>
#include <vector>

#include "bench/plan/case.hpp"

namespace km {

/// Machine and command line, as recorded in every line.
struct Provenance {
  std::vector<std::string> argv;
  std::string machine;
};

/// Parses a worker's answer as a line. Returns a failure with the reason `why` if there is none.
Json line_of(const Case& c, const std::string& answer, const std::string& why, const Provenance& by);

/// Seconds of the steady clock, equal in all processes of a machine.
double steady_now_s();

}  // namespace km

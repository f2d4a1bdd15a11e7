// Recommends an implementation for given points: tries all that can run, judges them, and measures the best again side by side.
#pragma once

#include <memory>
#include <optional>

#include "bench/tune/point.hpp"

namespace km {

struct AdviseOptions {
  double budget_s = 60;              // for trying; measuring again comes after it
  int repetitions = 2, at_last = 7;  // timed runs per candidate; per finalist
  std::string out;                   // file to append the lines to, or empty
  RunOptions run;
};

/// Result of a candidate.
struct Advised {
  Case c;
  std::shared_ptr<const Json> line = nullptr;  // null: no time to try it
  bool again = false;                          // measured again beside the other finalists
};

/// True if right and exact or rounded.
bool can_be_advised(const Advised& one);

/// Returns the recommendation: the fastest exact candidate, the fastest of all, and the certainty. Pure function of the lines.
std::string advice(const std::vector<Advised>& all);
/// Returns the table of candidates, fastest first, then those without a time, with the reason. columns: width of the terminal; 0: no limit.
std::string advice_table(std::vector<Advised> all, int columns);

/// Returns the same problem on fewer points, to rank the candidates; nothing if the points are few.
std::optional<Case> smaller(const Case& c);

/// Returns 0: advice given; 1: no candidate has a time; 130: interrupted.
int advise(const std::vector<Case>& candidates, const AdviseOptions& options);

}  // namespace km

// Which implementation for one's own points: all that can run are tried for a short time, judged, and the best measured again side by side.
#pragma once

#include <memory>
#include <optional>

#include "bench/run/workers.hpp"
#include "bench/tune/point.hpp"

namespace km {

struct AdviseOptions {
  double budget_s = 60;              // to try; the best are measured again after it
  int repetitions = 2, at_last = 7;  // timed runs of a candidate; of the best when measured again
  double memory_bytes = 0;           // of a worker; 0: what is available
  std::string out;                   // file to which the lines are appended, or empty
  Recorder by;
};

/// What came of a candidate: its line, or that there was no time for it.
struct Advised {
  Case c;
  std::shared_ptr<const Json> line = nullptr;  // null: not tried
  bool again = false;                          // measured again beside the others
};

/// Right, and a grade that may be recommended: exact or rounded.
bool can_be_advised(const Advised& one);

/// The sentences: the fastest that is exact, the fastest at all, and how sure that is. Pure: from the lines alone.
std::string advice(const std::vector<Advised>& all);
/// The table above them, fastest first, then those without a time with the reason, in so many columns of the terminal (0: as wide as it is).
std::string advice_table(std::vector<Advised> all, int columns);

/// The same problem on fewer points, for the order in which candidates are tried; nothing where the points are few enough.
std::optional<Case> smaller(const Case& c);

/// Parent: 0: advised; 1: no candidate has a time; 130: interrupted.
int advise(const std::vector<Case>& candidates, const AdviseOptions& options);
/// Worker.
int advise_at(const Inbox& inbox, const std::vector<Case>& candidates, const AdviseOptions& options);

}  // namespace km

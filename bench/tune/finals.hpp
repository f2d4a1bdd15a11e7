// The end of a tuning: its fastest settings against the defaults, in rounds. In each round every setting runs in a process of its own, in an order
// that is drawn. So drift and the luck of a process fall on all alike.
#pragma once

#include <functional>
#include <vector>

#include "bench/run/run.hpp"
#include "bench/tune/rounds.hpp"

namespace km {

/// The least run of each round in seconds per iteration; 0 where other programs disturbed it.
struct Finalist {
  Case c;
  std::vector<double> rounds_s = {};
  std::string reason = "";  // why it has no time, or ""
};

struct FinalsOptions {
  int rounds = 40;         // at most
  double budget_s = 60;    // after which no round begins, once there are twelve
  bool disturbed = false;  // disturbed rounds count, too
  /// True if a round begins after `made` of them.
  bool another(int made, double spent_s) const { return made < rounds && (made < 12 || spent_s <= budget_s); }
};

struct Finals {
  std::vector<Finalist> all;  // the first is the one to beat
  int rounds = 0;
  double load = 0;  // the highest of the one-minute load averages at the rounds' ends
  bool interrupted = false;
};

/// Calls `note` with each line; its field `order` is the round.
Finals measure_finals(std::vector<Case> cases, const FinalsOptions& options, const RunOptions& run, const std::function<void(const Json&)>& note);

/// The least of the runs in seconds per iteration, without disturbed ones; 0 if more than half are, unless `disturbed` ones count.
double least_run_s(const Json& line, bool disturbed);

/// From the first to the other, over the rounds in which both have a time.
Change change_between(const Finalist& first, const Finalist& other);

/// Median of the rounds in seconds per iteration; 0 if there is none.
double typical_s(const Finalist& one);

}  // namespace km

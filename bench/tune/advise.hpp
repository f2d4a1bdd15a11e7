// Recommends an implementation for given points: tries all that can run, judges them, and measures the best again side by side.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/run/run.hpp"

namespace km {

struct AdviseOptions {
  double budget_s;
  int at_last;      // timed runs of a finalist
  std::string out;  // file to append the lines to, or empty
  RunOptions run;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();  // of the budget
};

/// Result of a candidate.
struct Advised {
  Case c;
  std::shared_ptr<const Json> line = nullptr;  // of its last run, perhaps on fewer points; null: none ended
  double wall_s = 0;                           // of that run, with preparation and judging
  std::string cut = {};                        // why a run had no end, or empty
  bool again = false;                          // measured again beside the other finalists
};

/// Median seconds of a run, and the number of points, of a line that has a time.
double run_s(const Json& line);
std::int64_t points_of(const Json& line);

/// True if right and exact or rounded.
bool can_be_advised(const Advised& one);

/// Returns the recommendation: the fastest exact candidate, the fastest of all, and the certainty. Pure function of the lines.
std::string advice(const std::vector<Advised>& all);
/// Returns the table of candidates, fastest first, then those without a time, with the reason. columns: width of the terminal; 0: no limit.
std::string advice_table(std::vector<Advised> all, int columns);

/// Candidates to measure again, and how often.
struct LastRuns {
  std::vector<std::size_t> who;
  int repetitions = 0;
};
/// Returns the three fastest and the two fastest exact of those that ran on all points. Returns fewer, or fewer runs, to end within left_s; none if
/// not even two of them fit, or if the fastest and the fastest exact have run again already.
LastRuns last_runs_of(const std::vector<Advised>& all, int repetitions, double left_s);

/// Returns 0: advice given; 1: no candidate has a time, or all are coarse; 130: interrupted.
int advise(const std::vector<Case>& candidates, const AdviseOptions& options);

/// What halving needs of the world.
struct Trials {
  std::function<double()> elapsed_s;  // since the search began
  /// Runs a case once, for at most limit_s. Returns its line; null if interrupted.
  std::function<std::shared_ptr<const Json>(const Case&, double limit_s)> run;
};

/// Guess of a run's seconds, to order the first runs: from the work, the device, the threads, and whether distances are matrix products.
double forecast_s(const Case& c);

/// Numbers of points of the rounds, ascending; the last is n. The first is n / 4^i, and at least 8192 and 10 k.
std::vector<std::int64_t> rounds_of(std::int64_t n, int k);

/// Gives each candidate its last line and wall_s, or why it was cut. Every round may take an equal part of the time left until until_s. In it, a run
/// may take five times the best run, and a tenth of until_s or a second at least; a library gets ten seconds more to start. Returns false if
/// interrupted.
bool halve(std::vector<Advised>& all, double until_s, const Trials& trials);

}  // namespace km

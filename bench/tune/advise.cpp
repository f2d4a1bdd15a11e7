#include "bench/tune/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/base/statistics.hpp"
#include "bench/machine/environment.hpp"
#include "bench/run/progress.hpp"
#include "bench/run/result.hpp"
#include "bench/run/timing.hpp"
#include "bench/run/workers.hpp"

namespace km {
namespace {

constexpr std::size_t best_again = 3, exact_again = 2;
constexpr int least_again = 5;                          // runs; fewer decide nothing among several rivals
constexpr double trials_share = 0.6, hard_limit = 1.1;  // of the budget

WorkerLimits limits_of(const RunOptions& run) {
  WorkerLimits limits = WorkerLimits::of(run.memory_bytes);
  limits.longer = "a longer --budget";
  return limits;
}

/// Measures cases in a fresh process, `repetitions` timed runs each, interleaved in random order. Returns false if interrupted, or late.
bool measure_together(std::vector<Case> cases, int repetitions, const RunOptions& run, const std::function<void(const Case&, const Json&)>& note,
                      std::chrono::steady_clock::time_point until) {
  std::vector<Job> jobs;
  for (auto& c : cases) {
    c.repetitions = repetitions;
    jobs.push_back(job_of(c, run.timeout_s));
  }
  const auto ended = [&](const std::string& id, const std::string& answer, const std::string& why) {
    const Case& c = *std::ranges::find_if(cases, [&](const Case& one) { return one.id() == id; });
    note(c, line_of(c, answer, why, run.argv, run.machine));
  };
  WorkerLimits limits = limits_of(run);
  limits.until = until;
  return Workers(run.argv, limits).run(jobs, {.ended = ended}).empty();
}

class Advice {
 public:
  Advice(const std::vector<Case>& candidates, const AdviseOptions& options) : options_(options) {
    for (const auto& c : candidates) all_.push_back({.c = c});
    if (!options.out.empty()) file_.emplace(options.out);
  }

  int run() {
    if (const std::string busy = load_warning(); !busy.empty()) fmt::print(stderr, "warning: {}\n", busy);
    if (!try_all() || !measure_again()) {
      fmt::print(stderr, "\ninterrupted\n");
      return 130;
    }
    fmt::print("{}{}", advice_table(all_, columns_of(stdout)), advice(all_));
    return std::ranges::any_of(all_, [](const Advised& one) { return can_be_advised(one); }) ? 0 : 1;
  }

 private:
  double elapsed_s() const { return seconds_since(options_.begin); }

  bool try_all() {
    Workers workers(options_.run.argv, limits_of(options_.run));
    const auto run = [&](const Case& c, double limit_s) {
      const auto line = measure_point(workers, c, limit_s, options_.run);
      if (line) keep(c, *line, c.n < all_[0].c.n ? fmt::format(", {} points", c.n) : "");
      return line;
    };
    return halve(all_, trials_share * options_.budget_s, {.elapsed_s = [this] { return elapsed_s(); }, .run = run});
  }

  /// Until the leaders are finalists: a final may slow its candidates below one that it left out.
  bool measure_again() {
    const auto note = [&](const Case& c, const Json& line) {
      keep(c, line, "");
      const auto one = std::ranges::find_if(all_, [&](const Advised& a) { return a.c.id() == c.id(); });
      one->line = std::make_shared<const Json>(line);
      one->again = true;
    };
    const double end_s = hard_limit * options_.budget_s;
    const auto until = options_.begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(end_s));
    for (;;) {
      const LastRuns finals = last_runs_of(all_, options_.at_last, options_.budget_s - elapsed_s());
      if (finals.who.empty()) return true;
      std::vector<Case> cases;
      for (const std::size_t at : finals.who) cases.push_back(all_[at].c);
      if (!measure_together(std::move(cases), finals.repetitions, options_.run, note, until)) return elapsed_s() > end_s;
    }
  }

  void keep(const Case& c, const Json& line, const std::string& points) {
    fmt::print(stderr, "{}{}: {}\n", c.implementation_name, points, outcome(line));
    if (file_ && c.n == all_[0].c.n) file_->append(line);
  }

  const AdviseOptions& options_;
  std::vector<Advised> all_;
  std::optional<ResultFile> file_;
};

/// Seconds that measure_together may take: each turn prepares, warms up, runs and judges; in the end come a traced run and the replay.
double cost_s(const std::vector<Advised>& all, const LastRuns& finals) {
  double sum = 0;
  for (const std::size_t at : finals.who) sum += finals.repetitions * (all[at].wall_s + run_s(*all[at].line)) + 4 * all[at].wall_s;
  return sum;
}

}  // namespace

double run_s(const Json& line) { return median(line["samples_s"].get<std::vector<double>>()); }
std::int64_t points_of(const Json& line) { return line["n"]; }

LastRuns last_runs_of(const std::vector<Advised>& all, int repetitions, double left_s) {
  std::vector<std::size_t> right;
  for (std::size_t at = 0; at < all.size(); ++at)
    if (can_be_advised(all[at]) && points_of(*all[at].line) == all[at].c.n) right.push_back(at);
  std::ranges::stable_sort(right, {}, [&](std::size_t at) { return run_s(*all[at].line); });
  const auto again = [&](std::size_t at) { return all[at].again; };
  const auto fastest_exact = std::ranges::find_if(right, [&](std::size_t at) { return (*all[at].line)["grade"] == "exact"; });
  if (right.empty() || (again(right.front()) && (fastest_exact == right.end() || again(*fastest_exact)))) return {};
  LastRuns finals{.repetitions = repetitions};
  std::size_t exact = 0;
  for (std::size_t rank = 0; rank < right.size(); ++rank) {
    const bool is_exact = (*all[right[rank]].line)["grade"] == "exact";
    if (rank < best_again || (is_exact && exact < exact_again)) finals.who.push_back(right[rank]);
    exact += is_exact;
  }
  for (const std::size_t least = std::min(right.size(), std::size_t{2}); least > 0 && finals.who.size() >= least; finals.who.pop_back())
    for (finals.repetitions = repetitions; finals.repetitions >= std::min(repetitions, least_again); --finals.repetitions)
      if (cost_s(all, finals) <= left_s) return std::ranges::all_of(finals.who, again) ? LastRuns() : finals;
  return {};
}

int advise(const std::vector<Case>& candidates, const AdviseOptions& options) { return Advice(candidates, options).run(); }

}  // namespace km

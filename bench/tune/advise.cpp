#include "bench/tune/advise.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/plan/combination.hpp"
#include "bench/run/case_run.hpp"
#include "bench/run/process_state.hpp"
#include "bench/run/progress.hpp"
#include "bench/run/result.hpp"
#include "bench/run/terminal.hpp"
#include "bench/statistics.hpp"
#include "bench/tune/history.hpp"

namespace km {
namespace {

constexpr const char* until_variable = "KMBENCH_ADVISE_UNTIL";  // seconds of the steady clock
constexpr std::int64_t small_n = 100'000;
constexpr std::size_t best_again = 3, exact_again = 2;

double seconds_of(const Json& line) {
  return reason_of(line).empty() ? median(line["samples_s"]) / line["iterations"].get<double>() : std::numeric_limits<double>::infinity();
}

/// A job's name: the round and the candidate's id.
std::string job(const std::string& round, const Case& c) { return round + ":" + c.id(); }

class Advice {
 public:
  Advice(const std::vector<Case>& candidates, const AdviseOptions& options) : options_(options) {
    for (const auto& c : candidates) all_.push_back({.c = c});
    if (!options.out.empty()) file_.emplace(options.out);
  }

  int run() {
    if (!try_all() || !measure_again()) {
      fmt::print(stderr, "\ninterrupted\n");
      return 130;
    }
    fmt::print("{}{}", advice_table(all_, columns_of(stdout)), advice(all_));
    return std::ranges::any_of(all_, [](const Advised& one) { return can_be_advised(one); }) ? 0 : 1;
  }

 private:
  /// Tries all candidates on few points to rank them, then on all points, fastest first, while time is left.
  bool try_all() {
    std::map<std::string, double> order;
    std::vector<Job> jobs;
    for (const auto& one : all_)
      if (const auto less = smaller(one.c)) jobs.push_back({job("small", one.c), allowed_s(*less), job("small", one.c)});
    const auto note = [&](const std::string& id, const Json& line) { order[id] = seconds_of(line); };
    if (!jobs.empty() && !work_on(jobs, note)) return false;
    std::ranges::stable_sort(all_, {}, [&](const Advised& one) { return order[one.c.id()]; });
    jobs.clear();
    for (const auto& one : all_) jobs.push_back({job("try", one.c), allowed_s(one.c), job("try", one.c)});
    const bool done = work_on(jobs, [&](const std::string& id, const Json& line) { keep(id, line, false); });
    ::unsetenv(until_variable);
    return done;
  }

  bool measure_again() {
    std::vector<const Advised*> right;
    for (const auto& one : all_)
      if (can_be_advised(one)) right.push_back(&one);
    std::ranges::sort(right, {}, [](const Advised* one) { return seconds_of(*one->line); });
    std::vector<Job> jobs;
    std::size_t exact = 0;
    for (std::size_t at = 0; at < right.size(); ++at) {
      const bool is_exact = (*right[at]->line)["grade"] == "exact";
      const bool chosen = at < best_again || (is_exact && exact < exact_again);
      exact += is_exact;
      if (!chosen) continue;
      Case c = right[at]->c;
      c.repetitions = options_.at_last;
      jobs.push_back({c.id(), right[at]->c.patience_s(), packed(c).dump()});
    }
    return jobs.empty() || work_on(jobs, [&](const std::string& id, const Json& line) { keep(id, line, true); });
  }

  /// Runs all jobs in workers. Returns false if interrupted. A job without an answer counts as not tried.
  bool work_on(const std::vector<Job>& jobs, const std::function<void(const std::string&, const Json&)>& note) {
    const auto candidate = [&](const std::string& name) -> const Case& {
      const std::string id = name.substr(name.find(':') + 1);
      return std::ranges::find_if(all_, [&](const Advised& one) { return one.c.id() == id; })->c;
    };
    const auto ended = [&](const std::string& name, const std::string& text, const std::string& why) {
      if (!std::getenv(until_variable)) ::setenv(until_variable, fmt::format("{:.6f}", steady_now_s() + options_.budget_s).c_str(), 1);
      const Case& c = candidate(name);
      if (text.empty() && why.empty()) return;
      const bool small = name.starts_with("small:");
      const Json line = line_of(small ? *smaller(c) : c, text, why, options_.by);
      if (file_ && !small) file_->append(line);
      fmt::print(stderr, "{}{}: {}\n", c.implementation_name, small ? fmt::format(", {} points", small_n) : "", outcome(line));
      note(c.id(), line);
    };
    return run_in_workers(options_.by.argv, jobs, WorkerLimits::of(options_.memory_bytes),
                          {[](const std::string&) {}, [&](const std::string& name, const std::string& text) { ended(name, text, ""); },
                           [&](const std::string& name, const std::string& why) { ended(name, "", why); }})
        .empty();
  }

  /// Time limit of a candidate: a quarter of the budget, at least ten seconds, plus the generation of the points.
  double allowed_s(const Case& c) const { return std::max(10.0, options_.budget_s / 4) + double(c.n) * c.d * 1e-7; }

  void keep(const std::string& id, const Json& line, bool again) {
    const auto one = std::ranges::find_if(all_, [&](const Advised& a) { return a.c.id() == id; });
    one->line = std::make_shared<const Json>(line);
    one->again = again;
  }

  const AdviseOptions& options_;
  std::vector<Advised> all_;
  std::optional<ResultFile> file_;
};

}  // namespace

std::optional<Case> smaller(const Case& c) {
  if (c.n <= 4 * small_n || c.k > small_n) return std::nullopt;
  Case less = c;
  less.n = small_n;
  less.dataset.n = small_n;
  return unsupported(less).empty() ? std::optional(less) : std::nullopt;
}

int advise(const std::vector<Case>& candidates, const AdviseOptions& options) { return Advice(candidates, options).run(); }

int advise_at(const Inbox& inbox, const std::vector<Case>& candidates, const AdviseOptions& options) {
  RunOptions run{.redo = true, .argv = options.by.argv, .benchmark_args = {"--benchmark_enable_random_interleaving=true"}};
  run.machine = options.by.machine;
  if (!inbox.jobs().empty() && inbox.jobs().front().starts_with('{')) return work(run, inbox);
  count_stops();
  adopt_orphans();
  ::dup2(STDERR_FILENO, STDOUT_FILENO);  // output of implementations is no result
  const char* text = std::getenv(until_variable);
  double until_s = text ? std::strtod(text, nullptr) : std::numeric_limits<double>::infinity();
  ::unsetenv(until_variable);
  for (const auto& name : inbox.jobs()) {
    inbox.start(name);
    const auto c = std::ranges::find_if(candidates, [&](const Case& one) { return name.ends_with(":" + one.id()); });
    if (c == candidates.end() || steady_now_s() > until_s) {
      inbox.end(name, "");
      continue;
    }
    Case own = name.starts_with("small:") ? *smaller(*c) : *c;
    own.repetitions = options.repetitions;
    const auto [line, clean] = run_case(own, run);
    inbox.end(name, line.dump(-1, ' ', false, Json::error_handler_t::replace));
    until_s = std::min(until_s, steady_now_s() + options.budget_s);
    if (!clean) inbox.leave();
  }
  return 0;
}

}  // namespace km

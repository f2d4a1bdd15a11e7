// The worker of a tuning: chooses, measures and judges points until the time is over.
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "bench/run/case_run.hpp"
#include "bench/run/process_state.hpp"
#include "bench/tune/tune.hpp"

namespace km {
namespace {

RunOptions run_options(const TuneOptions& options) {
  RunOptions run{.redo = true, .argv = options.by.argv, .benchmark_args = {"--benchmark_enable_random_interleaving=true"}};
  run.machine = options.by.machine;
  return run;
}

class Searcher {
 public:
  Searcher(const Inbox& inbox, const TuningSpace& space, const TuneOptions& options)
      : inbox_(inbox), space_(space), options_(options),
        history_(points_file(options, space.at(space.start()).implementation_name), options.by.machine),
        left_(inbox.jobs().rbegin(), inbox.jobs().rend()) {
    if (const char* until = std::getenv(until_variable)) until_s_ = std::strtod(until, nullptr);
    ::unsetenv(until_variable);
  }

  void search() {
    try {
      km::search(options_.strategy, space_, options_.seed, options_.repetitions, answering(space_, history_, [this](const Case& c) -> const Tried& {
                   if (steady_now_s() > until_s_ || left_.empty()) throw SearchOver();
                   return measure(c);
                 }));
    } catch (const SearchOver&) {}
    for (; !left_.empty(); left_.pop_back()) {
      inbox_.start(left_.back());
      inbox_.end(left_.back(), "");
    }
  }

 private:
  const Tried& measure(const Case& c) {
    const std::string turn = left_.back();
    left_.pop_back();
    inbox_.start(turn);
    const auto [line, clean] = run_case(c, run_options(options_));
    inbox_.end(turn, line.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (!clean) inbox_.leave();
    until_s_ = std::min(until_s_, steady_now_s() + options_.budget_s);
    history_.add(line);
    return *history_.find(c.id(), c.repetitions);
  }

  const Inbox& inbox_;
  const TuningSpace& space_;
  const TuneOptions& options_;
  History history_;
  std::vector<std::string> left_;  // turns in reverse order
  double until_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Evaluate answering(const TuningSpace& space, const History& history, std::function<const Tried&(const Case&)> measure) {
  return [&space, &history, measure = std::move(measure)](const TuningPoint& point, int repetitions) -> std::optional<double> {
    Case c = space.at(point);
    if (!c.skip.empty()) return std::nullopt;
    c.repetitions = repetitions;
    const Tried* known = history.find(c.id(), repetitions);
    const Tried& tried = known ? *known : measure(c);
    return tried.counts() ? std::optional(tried.seconds) : std::nullopt;
  };
}

int tune_at(const Inbox& inbox, const TuningSpace& space, const TuneOptions& options) {
  if (!inbox.jobs().empty() && !inbox.jobs().front().starts_with("turn:"))
    return work(run_options(options), inbox);  // the defaults and the winner again
  count_stops();
  adopt_orphans();
  ::dup2(STDERR_FILENO, STDOUT_FILENO);  // output of implementations is no result
  Searcher(inbox, space, options).search();
  return 0;
}

}  // namespace km

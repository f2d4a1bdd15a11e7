// Runs the fastest of several implementations. A cost model predicts each candidate's run time by its shape. Bounds and margins depend on the points,
// so trials follow, by the parameter `trials`: a race (impl/auto/race.hpp), or what a budget allows (impl/auto/budget.hpp).
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/base/bytes_hash.hpp"
#include "bench/contract/reuse_scope.hpp"
#include "impl/auto/budget.hpp"
#include "impl/auto/race.hpp"

namespace km::choosing {
namespace {  // its includers are compiled with different arithmetic

inline std::vector<Parameter> parameters() {
  return {{.name = "trials",
           .fallback = "race",
           .range = {"budget", "race"},
           .help = "what the choice in prepare may take: a tenth of the run, or what it takes to find the fastest iterations"}};
}

template <class T>
class Auto {
 public:
  Auto(const Problem<T>& problem, std::span<const Rival> rivals, const std::vector<int>& threads, const CostModel& model, const Config& config,
       Trace& trace) {
    choose(problem, rivals, threads, model, config.word("trials") == "race", trace);
    if (!solver_) solver_ = chosen_.implementation->prepare<T>()(problem, chosen_.config, trace);
  }

  void reset() { solver_->reset(); }
  int iterate(Trace& trace) {
    const int iters = solver_->iterate(trace);
    trace.count("choice", double(chosen_.number) * iters);  // counted once, so that the mean is the number
    if (on_cpu(chosen_) && chosen_.config.values().contains("threads")) trace.count("threads", double(chosen_.config.number("threads")) * iters);
    return iters;
  }
  Solution<T> download() { return solver_->download(); }

 private:
  /// Chosen once for all starts of a clustering: same points, shape, stop rule and kind of trials. A replay takes the latest choice for its d and k.
  void choose(const Problem<T>& problem, std::span<const Rival> rivals, const std::vector<int>& threads, const CostModel& model, bool race,
              Trace& trace) {
    static std::map<std::tuple<std::size_t, std::int64_t, int, int, int, double, bool>, Candidate> known;
    static std::map<std::pair<int, int>, Candidate> latest;  // by d and k
    const auto key = std::tuple(fingerprint(problem.points), problem.n, problem.d, problem.k, problem.max_iters, problem.tolerance, race);
    Candidate& before = latest[{problem.d, problem.k}];
    if (ReuseScope::active() && before.implementation && runs(before.implementation->name, problem, precision_of<T>)) {
      chosen_ = before;
      return;
    }
    if (const auto found = known.find(key); found != known.end()) chosen_ = found->second;
    else make_choice(problem, rivals, threads, model, race, trace), known[key] = chosen_;
    before = chosen_;
  }
  void make_choice(const Problem<T>& problem, std::span<const Rival> rivals, const std::vector<int>& threads, const CostModel& model, bool race,
                   Trace& trace) {
    const double distinct = distinct_share(problem), from_origin = distance_from_origin(problem);
    std::vector<Candidate> all = candidates(rivals, threads, problem, precision_of<T>, model, distinct, from_origin);
    if (all.empty()) throw std::runtime_error("this build has no implementation that auto may choose");
    if (!race && std::ranges::any_of(all, [](const Candidate& one) { return one.forecast.has_value(); })) {
      Prepared<T> best = within_budget(std::move(all), problem, model, trace.active());
      chosen_ = best.candidate, trace = std::move(best.trace), solver_ = std::move(best.solver);
      return;
    }
    std::vector<Candidate> list = shortlist(std::move(all), problem.tolerance >= 0);
    if (list.size() == 1) chosen_ = list.front();
    else if (!on_cpu(list.front())) chosen_ = fastest(list, problem, model);
    else {
      Problem<T> run = problem;
      if (problem.tolerance >= 0) {
        const FirstTrial first = first_trial(list.front(), problem);
        if (first.rest > 0) run.max_iters = first.rest;
        list = shortlist(candidates(rivals, threads, run, precision_of<T>, model, distinct, from_origin), true, first.run);
      }
      chosen_ = fastest_of_race(list, run);
    }
  }

  Candidate chosen_;
  std::unique_ptr<AnySolver<T>> solver_;
};

}  // namespace
}  // namespace km::choosing

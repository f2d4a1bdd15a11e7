// Runs the fastest of several implementations. A cost model foretells each candidate's run time by its shape (bench/contract/cost_model.hpp).
// Candidates within the model's spread of the best run their first iterations on the problem itself; measured over foretold time then corrects the
// forecast of the whole run, because bounds and margins depend on the points.
// Cost: prepare of at most four candidates, and twice a few iterations of each, some quarter of a run in all; a single candidate is not tried.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/contract/cost_model.hpp"
#include "bench/contract/implementation.hpp"

namespace km::choosing {
namespace {  // its includers are compiled with different arithmetic

/// `number` is the counter `choice`: give new candidates new numbers.
struct Rival {
  int number;
  const char* name;
  const char* unless = "";  // excluded if this one runs
};

constexpr double never = std::numeric_limits<double>::max();  // no infinity: fast-math knows none

struct Candidate {
  int number = 0;
  const Implementation* implementation = nullptr;
  Config config;
  std::optional<Forecast> forecast = {};  // of the run
  double likely() const { return forecast ? forecast->seconds : never; }
};

constexpr int most_tried = 4;
constexpr int until_rest = 100;  // iterations of a run to convergence, a guess: the order of candidates hardly depends on it

inline const Implementation* find(std::string_view name) {
  const auto found = std::ranges::find(implementations(), name, &Implementation::name);
  return found == implementations().end() ? nullptr : &*found;
}

/// All parameters at their defaults, `threads` as given.
inline Config defaults(const Description& description, int threads) {
  std::map<std::string, Value, std::less<>> values;
  for (const Parameter& parameter : description.parameters)
    values.emplace(parameter.name, parameter.name == "threads" ? Value(std::int64_t(threads)) : parameter.fallback);
  return Config(std::move(values));
}

inline bool runs(const char* name, const ProblemShape& shape, Precision precision) {
  const Implementation* const one = find(name);
  if (!one || !one->has(precision)) return false;
  const auto& unsupported = one->description.unsupported;
  return !unsupported || unsupported(shape, defaults(one->description, 0), precision == Precision::fp32 ? 4 : 8).empty();
}

/// The shape with the number of iterations that it may take.
inline ProblemShape expected(ProblemShape shape) {
  if (shape.tolerance >= 0) shape.max_iters = std::min(shape.max_iters, until_rest);
  return shape;
}

/// Those that run, for each number of threads if they have that parameter, with forecasts.
inline std::vector<Candidate> candidates(std::span<const Rival> rivals, const std::vector<int>& threads, const ProblemShape& shape,
                                         Precision precision, const CostModel& model) {
  std::vector<Candidate> found;
  for (const Rival& rival : rivals) {
    if (!runs(rival.name, shape, precision) || runs(rival.unless, shape, precision)) continue;
    const Implementation& one = *find(rival.name);
    const bool shared = std::ranges::find(one.description.parameters, "threads", &Parameter::name) != one.description.parameters.end();
    for (const int count : shared ? threads : std::vector<int>{0}) {
      Candidate candidate{.number = rival.number, .implementation = &one, .config = defaults(one.description, count)};
      candidate.forecast = model.forecast(one, expected(shape), candidate.config, precision);
      found.push_back(std::move(candidate));
    }
  }
  return found;
}

/// Those that may be the fastest: at most four whose range of one standard deviation meets that of the best, likeliest first, and those that state
/// a cost but were never calibrated. Candidates without a cost count only where there is no other.
inline std::vector<Candidate> shortlist(std::vector<Candidate> all) {
  std::ranges::stable_sort(all, {}, &Candidate::likely);
  double reach = never;
  for (const Candidate& one : all)
    if (one.forecast) reach = std::min(reach, one.forecast->seconds * std::exp(one.forecast->spread));
  std::vector<Candidate> some;
  for (const Candidate& one : all)
    if (one.forecast && one.forecast->seconds * std::exp(-one.forecast->spread) <= reach && some.size() < most_tried) some.push_back(one);
  for (const Candidate& one : all)
    if (!one.forecast && one.implementation->description.cost) some.push_back(one);
  if (some.empty() && !all.empty()) some.push_back(all.front());
  return some;
}

/// Seconds of the problem's run: the least of a few, after one that loads kernels and raises clocks.
template <class T>
double measured(const Candidate& candidate, const Problem<T>& problem) {
  using Clock = std::chrono::steady_clock;
  constexpr double enough = 0.01;
  constexpr int most_runs = 5;
  Trace none;
  const auto solver = candidate.implementation->prepare<T>()(problem, candidate.config, none);
  double least = never, spent = 0;
  for (int run = 0; run <= most_runs && spent < enough; ++run) {
    solver->reset();
    const auto start = Clock::now();
    solver->iterate(none);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (run > 0) least = std::min(least, seconds), spent += seconds;
  }
  return least;
}

/// The candidate whose trial foretells the shortest run.
template <class T>
Candidate fastest(const std::vector<Candidate>& some, Problem<T> problem, const CostModel& model) {
  if (some.size() == 1) return some.front();
  const ProblemShape whole = expected(problem);
  problem.max_iters = std::min(whole.max_iters, std::max(3, whole.max_iters / (4 * int(some.size()))));
  problem.tolerance = -1;
  const Candidate* best = &some.front();
  double least = never;
  for (const Candidate& one : some) {
    const auto trial = model.forecast(*one.implementation, problem, one.config, precision_of<T>);
    const double longer = trial && one.forecast ? one.forecast->seconds / trial->seconds : double(whole.max_iters) / problem.max_iters;
    try {
      const double seconds = measured(one, problem) * longer;
      if (seconds < least) least = seconds, best = &one;
    } catch (const std::exception&) {  // too little memory for this one; if no other runs, the winner's prepare says so
    }
  }
  return *best;
}

template <class T>
class Auto {
 public:
  Auto(const Problem<T>& problem, std::span<const Rival> rivals, const std::vector<int>& threads, const CostModel& model, Trace& trace)
      : chosen_(fastest(shortlist(candidates(rivals, threads, problem, precision_of<T>, model)), problem, model)),
        solver_(chosen_.implementation->prepare<T>()(problem, chosen_.config, trace)) {}

  void reset() { solver_->reset(); }
  int iterate(Trace& trace) {
    const int iters = solver_->iterate(trace);
    trace.count("choice", double(chosen_.number) * iters);  // counted once, so that the mean is the number
    if (chosen_.config.values().contains("threads")) trace.count("threads", double(chosen_.config.number("threads")) * iters);
    return iters;
  }
  Solution<T> download() { return solver_->download(); }

 private:
  Candidate chosen_;
  std::unique_ptr<AnySolver<T>> solver_;
};

}  // namespace
}  // namespace km::choosing

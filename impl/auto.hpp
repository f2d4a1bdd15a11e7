// Runs the fastest of several implementations. A cost model foretells each candidate's run time by its shape (bench/contract/cost_model.hpp).
// Candidates within the model's spread of the best run their first iterations on the problem itself. Measured over foretold time then corrects the
// forecast of the whole run, because bounds and margins depend on the points. On the CPU two lengths of a trial show how an iteration's cost falls.
// Cost: prepare of a few candidates, and of each twice a share of a run or 20 ms; a single candidate is not tried.
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
#include <tuple>
#include <vector>

#include "bench/contract/cost_model.hpp"
#include "bench/contract/implementation.hpp"
#include "bench/contract/reuse_scope.hpp"

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
constexpr double cheap = 0.002, always = 0.02;  // seconds: a run for which twice as many are tried; that a trial may take at least
constexpr int until_rest = 200;                 // iterations of a run to convergence, a guess

/// All parameters at their defaults, `threads` as given.
inline Config defaults(const Description& description, int threads) {
  auto values = km::defaults(description).values();
  if (const auto at = values.find("threads"); at != values.end()) at->second = std::int64_t(threads);
  return Config(std::move(values));
}

inline bool runs(std::string_view name, const ProblemShape& shape, Precision precision) {
  const Implementation* const one = find_implementation(name);
  if (!one || !one->has(precision)) return false;
  const auto& unsupported = one->description.unsupported;
  return !unsupported || unsupported(shape, defaults(one->description, 0), precision == Precision::fp32 ? 4 : 8).empty();
}

/// The greatest `of` all that may be chosen in either precision: which of them is the fastest is known in prepare alone.
inline std::int64_t greatest(std::span<const Rival> rivals, const ProblemShape& shape,
                             std::int64_t (*of)(const Description&, const ProblemShape&, const Config&)) {
  std::int64_t with_cost = 0, without = 0;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    bool costed = false;
    std::int64_t other = 0;
    for (const Rival& rival : rivals) {
      if (!runs(rival.name, shape, precision)) continue;
      const Description& its = find_implementation(rival.name)->description;
      std::int64_t& most = its.cost ? with_cost : other;
      most = std::max(most, of(its, shape, defaults(its, 0)));
      costed |= bool(its.cost);
    }
    if (!costed) without = std::max(without, other);
  }
  return std::max(with_cost, without);
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
    const Implementation& one = *find_implementation(rival.name);
    const bool shared = std::ranges::find(one.description.parameters, "threads", &Parameter::name) != one.description.parameters.end();
    for (const int count : shared ? threads : std::vector<int>{0}) {
      Candidate candidate{.number = rival.number, .implementation = &one, .config = defaults(one.description, count)};
      candidate.forecast = model.forecast(one, expected(shape), candidate.config, precision);
      found.push_back(std::move(candidate));
    }
  }
  return found;
}

/// Those that may be the fastest, likeliest first: at most four whose range of one standard deviation meets that of the best. A run to convergence
/// takes those within four times the best, too, because bounds depend on the points. So does a short run, eight in all, because fixed costs spread
/// most. Those that state a cost but were never calibrated follow. Candidates without a cost count only where there is no other.
inline std::vector<Candidate> shortlist(std::vector<Candidate> all, bool until_convergence) {
  std::ranges::stable_sort(all, {}, &Candidate::likely);
  const double least = all.empty() ? never : all.front().likely();
  double reach = never;
  for (const Candidate& one : all)
    if (one.forecast) reach = std::min(reach, one.forecast->seconds * std::exp(one.forecast->spread));
  const bool wide = until_convergence || least < cheap;
  const auto near = [&](const Forecast& own) { return own.seconds * std::exp(-own.spread) <= reach || (wide && own.seconds <= 4 * least); };
  std::vector<Candidate> some;
  for (const Candidate& one : all)
    if (one.forecast && near(*one.forecast) && some.size() < (least < cheap ? 2 : 1) * most_tried) some.push_back(one);
  for (const Candidate& one : all)
    if (!one.forecast && one.implementation->description.cost) some.push_back(one);
  if (some.empty() && !all.empty()) some.push_back(all.front());
  return some;
}

struct Measured {
  double seconds = never;
  int iters = 0;
};

/// The problem's run: the least time of a few, after one that loads kernels and raises clocks. On the CPU a single one if that is long.
template <class T>
Measured measured(const Candidate& candidate, const Problem<T>& problem) {
  using Clock = std::chrono::steady_clock;
  constexpr double enough = 0.01;
  constexpr int most_runs = 5;
  Trace none;
  const auto solver = candidate.implementation->prepare<T>()(problem, candidate.config, none);
  Measured found;
  double spent = 0;
  for (int run = 0; run <= most_runs && spent < enough; ++run) {
    solver->reset();
    const auto start = Clock::now();
    found.iters = solver->iterate(none);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const bool counts = run > 0 || (seconds > enough && candidate.implementation->description.device == Device::cpu);
    if (counts) found.seconds = std::min(found.seconds, seconds), spent += seconds;
  }
  return found;
}

/// Iterations of a trial: all trials together take about a quarter of a run, or each as long as it may take in any case.
inline int trial_iterations(const std::vector<Candidate>& some, int iters) {
  const double share = std::max(0.25 / double(some.size()), always / some.front().likely());
  return share >= 1 ? iters : std::clamp(int(iters * share), std::min(3, iters), iters);
}

/// Foretells `whole` iterations from the seconds of the first `half` of a trial and of all its 2 half. Iteration t takes a + b / t, because bounds
/// exclude the more, the less the centroids move.
inline double extrapolated(double half_s, double trial_s, int half, int whole) {
  const auto sum = [](int first, int last) {
    double of_reciprocals = 0;
    for (int t = first; t <= last; ++t) of_reciprocals += 1.0 / t;
    return of_reciprocals;
  };
  const double early = sum(1, half), late = sum(half + 1, 2 * half), later_s = std::max(0.0, trial_s - half_s);
  const double b = std::clamp((half_s - later_s) / (early - late), 0.0, later_s / late);
  return trial_s + (later_s - b * late) / half * (whole - 2 * half) + b * sum(2 * half + 1, whole);
}

/// The candidate whose trial foretells the shortest run.
template <class T>
Candidate fastest(const std::vector<Candidate>& some, Problem<T> problem, const CostModel& model) {
  if (some.empty()) throw std::runtime_error("this build has no implementation that auto may choose");
  if (some.size() == 1) return some.front();
  const ProblemShape whole = expected(problem);
  problem.max_iters = trial_iterations(some, whole.max_iters);
  const bool on_cpu = some.front().implementation->description.device == Device::cpu;
  if (on_cpu && problem.max_iters < whole.max_iters) problem.max_iters -= problem.max_iters % 2;  // at least 3 before
  const Candidate* best = &some.front();
  double least = never;
  for (const Candidate& one : some) {
    const auto trial = model.forecast(*one.implementation, problem, one.config, precision_of<T>);
    const double longer = trial && one.forecast ? one.forecast->seconds / trial->seconds : double(whole.max_iters) / problem.max_iters;
    try {
      const auto [seconds, iters] = measured(one, problem);
      double run = iters < problem.max_iters ? seconds : seconds * longer;  // fewer: labels rest
      if (on_cpu && iters == problem.max_iters && iters < whole.max_iters) {
        Problem<T> first = problem;
        first.max_iters = iters / 2;
        run = extrapolated(measured(one, first).seconds, seconds, first.max_iters, whole.max_iters);
      }
      if (run < least) least = run, best = &one;
    } catch (const std::exception&) {  // too little memory for this one; if no other runs, the winner's prepare says so
    }
  }
  return *best;
}

template <class T>
class Auto {
 public:
  Auto(const Problem<T>& problem, std::span<const Rival> rivals, const std::vector<int>& threads, const CostModel& model, Trace& trace)
      : chosen_(choice(problem, rivals, threads, model)), solver_(chosen_.implementation->prepare<T>()(problem, chosen_.config, trace)) {}

  void reset() { solver_->reset(); }
  int iterate(Trace& trace) {
    const int iters = solver_->iterate(trace);
    trace.count("choice", double(chosen_.number) * iters);  // counted once, so that the mean is the number
    if (chosen_.implementation->description.device == Device::cpu && chosen_.config.values().contains("threads"))
      trace.count("threads", double(chosen_.config.number("threads")) * iters);
    return iters;
  }
  Solution<T> download() { return solver_->download(); }

 private:
  /// Chosen once for all starts of a clustering: same points, shape and stop rule. A replay takes the latest choice for its d and k.
  static Candidate choice(const Problem<T>& problem, std::span<const Rival> rivals, const std::vector<int>& threads, const CostModel& model) {
    static std::map<std::tuple<const T*, std::int64_t, int, int, int, double>, Candidate> known;
    static std::map<std::pair<int, int>, Candidate> latest;  // by d and k
    const auto key = std::tuple(problem.points.data(), problem.n, problem.d, problem.k, problem.max_iters, problem.tolerance);
    Candidate& before = latest[{problem.d, problem.k}];
    if (ReuseScope::active() && before.implementation && runs(before.implementation->name, problem, precision_of<T>)) return before;
    if (const auto found = known.find(key); found != known.end()) return before = found->second;
    return before = known[key] =
               fastest(shortlist(candidates(rivals, threads, problem, precision_of<T>, model), problem.tolerance >= 0), problem, model);
  }

  Candidate chosen_;
  std::unique_ptr<AnySolver<T>> solver_;
};

}  // namespace
}  // namespace km::choosing

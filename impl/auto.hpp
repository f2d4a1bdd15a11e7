// Runs the fastest of several implementations. A cost model foretells each candidate's run time by its shape (bench/contract/cost_model.hpp). Bounds
// and margins depend on the points, so trials follow, by the parameter `trials`:
// - race, for many runs of one problem, as exhibits time them. Candidates within the model's spread of the best run their first iterations on the
//   problem itself. Measured over foretold time corrects the forecast of the whole run. On the CPU trials of growing length show how an iteration's
//   cost falls. Cost: prepare of a few candidates, trials of about a quarter of a run or 20 ms each, on the CPU several runs (results/auto_choice.txt).
// - budget, for who waits for one answer (kmbench fit and spectral). Trials take at most a tenth of the run that is foretold, so the best forecast
//   wins where that is less than a trial. Cost: prepare of one candidate, and a tenth of a run.
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
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
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
  const char* like = "";    // it runs over the distinct points only, as this one would
};

constexpr double never = std::numeric_limits<double>::max();  // no infinity: fast-math knows none

struct Candidate {
  int number = 0;
  const Implementation* implementation = nullptr;
  Config config;
  const Implementation* like = nullptr;  // costs as much, for `share` of the points
  double share = 1;
  std::optional<Forecast> forecast = {};  // of the run

  std::optional<Forecast> foretold(ProblemShape shape, const CostModel& model, Precision precision) const {
    shape.n = std::max<std::int64_t>(1, std::int64_t(double(shape.n) * share));
    return model.forecast(like ? *like : *implementation, shape, config, precision);
  }
  double likely() const { return forecast ? forecast->seconds : never; }
};

inline bool on_cpu(const Candidate& one) { return one.implementation->description.device == Device::cpu; }

constexpr double share = 0.1, factor = 2;                // budget: of the run, for trials; of the least run, within which a forecast is worth a trial
constexpr int least_iters = 3;                           // of a trial
constexpr double few_distinct = 0.9, little_work = 1e9;  // of points; products of coordinates in a run: less is not worth a look at the points
constexpr double layout_rate = 2e9;                      // bytes a second of points that the CPU lays out anew, a guess
constexpr int most_tried = 4, most_raced = 6;            // race; the second on the CPU, where trials lengthen
constexpr double cheap = 0.002;                          // seconds of a run for which twice as many are tried
constexpr double always = 0.02, enough = 0.01;           // seconds that a trial may take in any case, and that its runs take together

inline std::vector<Parameter> parameters() {
  return {{.name = "trials",
           .fallback = "race",
           .range = {"budget", "race"},
           .help = "what the choice in prepare may take: a tenth of the run, or what it takes to find the fastest iterations"}};
}

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

/// The shape with the number of iterations that it may take. To convergence it is a guess, of what real sets need; generated ones rest earlier.
inline ProblemShape expected(ProblemShape shape) {
  if (shape.tolerance >= 0) shape.max_iters = static_cast<int>(std::clamp(1.2 * std::pow(double(shape.n), 0.4), 1.0, double(shape.max_iters)));
  return shape;
}

/// Different rows over rows, of up to 65,536 evenly spaced points or 16 MB of them: over all points it is less. 1 for little work.
template <class T>
double distinct_share(const Problem<T>& p) {
  if (double(p.n) * p.d * p.k * expected(p).max_iters < little_work) return 1;
  const auto bytes = p.d * sizeof(T);
  const std::int64_t looked_at = std::min<std::int64_t>(p.n, std::clamp<std::int64_t>(std::int64_t(16e6 / double(bytes)), 1000, 65536));
  std::unordered_set<std::string_view> rows;
  for (std::int64_t at = 0; at < looked_at; ++at) rows.emplace(reinterpret_cast<const char*>(&p.points[at * (p.n / looked_at) * p.d]), bytes);
  return double(rows.size()) / double(looked_at);
}

/// Those that run, for each number of threads if they have that parameter, with forecasts. distinct: share of the points.
inline std::vector<Candidate> candidates(std::span<const Rival> rivals, const std::vector<int>& threads, const ProblemShape& shape,
                                         Precision precision, const CostModel& model, double distinct) {
  std::vector<Candidate> found;
  for (const Rival& rival : rivals) {
    if (!runs(rival.name, shape, precision) || runs(rival.unless, shape, precision)) continue;
    const Implementation* const like = *rival.like ? find_implementation(rival.like) : nullptr;
    if (*rival.like && (distinct > few_distinct || !like)) continue;
    const Implementation& one = *find_implementation(rival.name);
    const bool shared = std::ranges::find(one.description.parameters, "threads", &Parameter::name) != one.description.parameters.end();
    for (const int count : shared ? threads : std::vector<int>{0}) {
      Candidate candidate{.number = rival.number, .implementation = &one, .config = defaults(one.description, count), .like = like};
      if (like) candidate.share = distinct;
      candidate.forecast = candidate.foretold(expected(shape), model, precision);
      found.push_back(std::move(candidate));
    }
  }
  return found;
}

/// Those that may be the fastest, likeliest first: whose range of one standard deviation meets that of the best, at most four, six on the CPU. A run
/// to convergence takes those within four times the best, too, because bounds depend on the points. So does a short run, eight in all, because fixed
/// costs spread most; a longer one takes each implementation with its likeliest number of threads. Those that state a cost but were never calibrated
/// follow. Candidates without a cost count only where there is no other.
inline std::vector<Candidate> shortlist(std::vector<Candidate> all, bool until_convergence) {
  std::ranges::stable_sort(all, {}, &Candidate::likely);
  const double least = all.empty() ? never : all.front().likely();
  double reach = never;
  for (const Candidate& one : all)
    if (one.forecast) reach = std::min(reach, one.forecast->seconds * std::exp(one.forecast->spread));
  const bool is_short = least < cheap, wide = until_convergence || is_short;
  const auto near = [&](const Forecast& own) { return own.seconds * std::exp(-own.spread) <= reach || (wide && own.seconds <= 4 * least); };
  std::vector<Candidate> some;
  const auto listed = [&](const Candidate& one) { return std::ranges::find(some, one.number, &Candidate::number) != some.end(); };
  for (const Candidate& one : all) {
    const std::size_t most = is_short ? 2 * most_tried : on_cpu(one) ? most_raced : most_tried;
    if (one.forecast && near(*one.forecast) && some.size() < most && (is_short || !listed(one))) some.push_back(one);
  }
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
Measured measured(const Candidate& candidate, const Problem<T>& problem, int most_runs = 5) {
  using Clock = std::chrono::steady_clock;
  Trace none;
  const auto solver = candidate.implementation->prepare<T>()(problem, candidate.config, none);
  Measured found;
  double spent = 0;
  for (int run = 0; run <= most_runs && spent < enough; ++run) {
    solver->reset();
    const auto start = Clock::now();
    found.iters = solver->iterate(none);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const bool counts = run > 0 || (seconds > enough && on_cpu(candidate));
    if (counts) found.seconds = std::min(found.seconds, seconds), spent += seconds;
  }
  return found;
}

/// Iterations of a trial: all trials together take about a quarter of a run, or each as long as it may take in any case.
inline int trial_iterations(const std::vector<Candidate>& some, int iters) {
  const double share = std::max(0.25 / double(some.size()), always / some.front().likely());
  return share >= 1 ? iters : std::clamp(int(iters * share), std::min(3, iters), iters);
}

/// Foretells `whole` iterations from two runs of fewer. Iteration t takes a + b / t, because bounds exclude the more, the less the centroids move.
inline double extrapolated(const Measured& shorter, const Measured& longer, int whole) {
  const auto harmonic = [](int n) {
    double sum = 0;
    for (int t = 1; t <= n; ++t) sum += 1.0 / t;
    return sum;
  };
  const double h1 = harmonic(shorter.iters), h2 = harmonic(longer.iters), t1 = shorter.iters, t2 = longer.iters;
  double a = (shorter.seconds * h2 - longer.seconds * h1) / (t1 * h2 - t2 * h1), b = (longer.seconds - a * t2) / h2;
  if (b < 0) a = (longer.seconds - shorter.seconds) / (t2 - t1), b = 0;  // a cost that grows stays as it was last
  if (a < 0) a = 0, b = std::max(0.0, longer.seconds - shorter.seconds) / (h2 - h1);
  return longer.seconds + a * (whole - longer.iters) + b * (harmonic(whole) - h2);
}

/// A candidate that fails has too little memory. If no other runs, the winner's prepare says so.
template <class T>
Measured tried(const Candidate& candidate, Problem<T> problem, int iters, int most_runs = 5) {
  problem.max_iters = iters;
  try {
    return measured(candidate, problem, most_runs);
  } catch (const std::exception&) {
    return {};
  }
}

/// The candidate whose trial foretells the shortest run.
template <class T>
Candidate fastest(const std::vector<Candidate>& some, const Problem<T>& problem, const CostModel& model) {
  const ProblemShape whole = expected(problem);
  ProblemShape part = problem;
  part.max_iters = trial_iterations(some, whole.max_iters);
  const Candidate* best = &some.front();
  double least = never;
  for (const Candidate& one : some) {
    const auto trial = one.foretold(part, model, precision_of<T>);
    const double longer = trial && one.forecast ? one.forecast->seconds / trial->seconds : double(whole.max_iters) / part.max_iters;
    const auto [seconds, iters] = tried(one, problem, part.max_iters);
    const double run = iters < part.max_iters ? seconds : seconds * longer;  // fewer: labels rest
    if (run < least) least = run, best = &one;
  }
  return *best;
}

/// A candidate's two longest trials.
struct Runner {
  const Candidate* candidate = nullptr;
  Measured shorter = {}, longer = {};

  /// Seconds of `whole` iterations. They are known if the longer trial made all, or came to rest.
  double run(int whole) const {
    const bool known = longer.seconds == never || longer.iters >= whole || longer.iters == shorter.iters;
    if (known) return longer.seconds;
    return shorter.iters > 0 ? extrapolated(shorter, longer, whole) : longer.seconds * whole / longer.iters;
  }
};

/// The same on the CPU, by two lengths of a trial. Those that may still be the fastest try twice as many iterations, and so on, as long as the next trials
/// take no more than four of the shortest run that is foretold: bounds may pay late. A trial that comes to rest tells how long a run is.
template <class T>
Candidate fastest_of_race(const std::vector<Candidate>& some, const Problem<T>& problem) {
  int whole = expected(problem).max_iters, iters = trial_iterations(some, whole);
  std::vector<Runner> runners;
  for (const Candidate& one : some) runners.push_back({.candidate = &one});
  if (iters < whole)
    for (Runner& one : runners) one.longer = tried(*one.candidate, problem, iters / 2);
  for (double within = 4;; iters = std::min(2 * iters, whole), within = std::max(1.5, 0.7 * within)) {  // times the best
    for (Runner& one : runners) {
      one.shorter = std::exchange(one.longer, tried(*one.candidate, problem, iters));
      if (one.longer.iters > 0 && one.longer.iters < iters) whole = std::min(whole, one.longer.iters);
    }
    const auto run = [&](const Runner& one) { return one.run(whole); };
    std::ranges::stable_sort(runners, {}, run);
    const double least = run(runners.front());
    std::erase_if(runners, [&](const Runner& one) { return run(one) > within * least; });
    double next = 0;
    for (const Runner& one : runners) next += 2 * one.longer.seconds;
    if (runners.size() < 2 || iters >= whole || next > std::max(always, 4 * least)) return *runners.front().candidate;
  }
}

/// The number of iterations of a run to convergence, if the likeliest candidate rests soon.
template <class T>
int iterations_to_rest(const Candidate& likeliest, const Problem<T>& problem) {
  const int guess = expected(problem).max_iters;
  const double share = std::max(0.1, 2 * always / likeliest.likely());
  const int most = share >= 1 ? problem.max_iters : std::max(3, int(guess * share));
  const int iters = tried(likeliest, problem, std::min(most, problem.max_iters), 0).iters;
  return iters > 0 && iters < most ? iters : guess;
}

/// A candidate, prepared. Without a solver it has too little memory.
template <class T, class Clock = std::chrono::steady_clock>
struct Prepared {
  Prepared(const Candidate& one, const Problem<T>& problem, bool traced) : candidate(one), trace(traced) {
    const auto start = Clock::now();
    try {
      solver = one.implementation->prepare<T>()(problem, one.config, trace);
    } catch (const std::exception&) {}
    prepare_s = std::chrono::duration<double>(Clock::now() - start).count();
  }

  /// Seconds of the whole run, foretold by the time of its first iterations over their forecast. A run that rests earlier is known. One iteration goes
  /// before: it loads kernels. A trial that takes `factor` times its forecast is repeated, as others may have disturbed it. Nothing if the solver
  /// cannot stop early.
  std::optional<double> trial(int iters, const ProblemShape& shape, const CostModel& model) {
    ProblemShape part = shape;
    part.max_iters = iters;
    const auto forecast = candidate.foretold(part, model, precision_of<T>);
    const double foretold = forecast ? forecast->seconds : candidate.likely();
    Trace none;
    double least = never;
    int made = 0;
    for (int run = 0; run < 3 && least > factor * foretold; ++run) {
      if (!solver->limit(run == 0 ? 1 : iters)) return std::nullopt;
      solver->reset();
      const auto start = Clock::now();
      made = solver->iterate(none);
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (run > 0) least = std::min(least, seconds);
    }
    solver->limit(shape.max_iters);
    return made < iters ? least : candidate.likely() * least / foretold;
  }

  Candidate candidate;
  Trace trace;  // of prepare
  std::unique_ptr<AnySolver<T>> solver;
  double prepare_s = 0;
};

/// The best forecast, unless trials find a faster candidate. Trials take `part` of the run at most: of the forecast, then of the least run that trials
/// foretell. What counts is their iterations, and prepare of all candidates but the first. The next one tried has the next best forecast, within
/// `factor` of the least run. The first is tried before, as forecasts and trials do not compare. Each is prepared at most once, and two are held.
template <class T, class Clock = std::chrono::steady_clock>
Prepared<T, Clock> within_budget(std::vector<Candidate> all, const Problem<T>& problem, const CostModel& model, bool traced, double part = share) {
  std::ranges::stable_sort(all, {}, &Candidate::likely);
  auto next = all.begin();
  Prepared<T, Clock> best(*next++, problem, traced);
  while (!best.solver && next != all.end()) best = Prepared<T, Clock>(*next++, problem, traced);
  if (!best.solver) throw std::runtime_error("none of the implementations that auto may choose has enough memory");

  const int whole = expected(problem).max_iters, iters = std::clamp(int(whole * part / 3), std::min(least_iters, whole), whole);
  const auto cost = [&](const Candidate& one) { return one.likely() * (iters + 1) / whole; };
  // Another prepare takes as long, or on the CPU as long as a new layout of the points.
  const double layout_s = on_cpu(best.candidate) ? double(problem.n) * problem.d * sizeof(T) / layout_rate : 0;
  const double prepare_s = std::max(best.prepare_s, layout_s);
  double least = best.candidate.likely();
  if (next == all.end() || cost(best.candidate) + prepare_s > part * least) return best;
  const auto start = Clock::now();
  const auto left = [&] { return part * least - std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto first = best.trial(iters, problem, model);
  if (!first) return best;
  least = *first;
  for (; next != all.end() && next->likely() <= factor * least && prepare_s + cost(*next) <= left(); ++next) {
    if (next->number == best.candidate.number) continue;  // with another number of threads
    Prepared<T, Clock> rival(*next, problem, traced);
    const auto run = rival.solver ? rival.trial(iters, problem, model) : std::nullopt;
    if (run && *run < least) least = *run, best = std::move(rival);
  }
  return best;
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
    static std::map<std::tuple<const T*, std::int64_t, int, int, int, double, bool>, Candidate> known;
    static std::map<std::pair<int, int>, Candidate> latest;  // by d and k
    const auto key = std::tuple(problem.points.data(), problem.n, problem.d, problem.k, problem.max_iters, problem.tolerance, race);
    Candidate& before = latest[{problem.d, problem.k}];
    if (ReuseScope::active() && before.implementation && runs(before.implementation->name, problem, precision_of<T>)) {
      chosen_ = before;
      return;
    }
    if (const auto found = known.find(key); found != known.end()) chosen_ = found->second;
    else make_choice(problem, rivals, threads, model, race, trace), known[key] = chosen_;
    before = chosen_;
  }
  void make_choice(Problem<T> problem, std::span<const Rival> rivals, const std::vector<int>& threads, const CostModel& model, bool race,
                   Trace& trace) {
    const double distinct = distinct_share(problem);
    std::vector<Candidate> all = candidates(rivals, threads, problem, precision_of<T>, model, distinct);
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
      if (problem.tolerance >= 0) {
        problem.max_iters = iterations_to_rest(list.front(), problem);
        list = shortlist(candidates(rivals, threads, problem, precision_of<T>, model, distinct), true);
      }
      chosen_ = fastest_of_race(list, problem);
    }
  }

  Candidate chosen_;
  std::unique_ptr<AnySolver<T>> solver_;
};

}  // namespace
}  // namespace km::choosing

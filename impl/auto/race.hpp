// Trials for many runs of one problem, as exhibits time them. Candidates within the model's spread of the best run their first iterations on the problem
// itself. Measured over predicted time corrects the forecast of the whole run. On the CPU trials of growing length show how an iteration's cost falls.
// Cost: prepare of a few candidates, trials of about a quarter of a run or 20 ms each, on the CPU several runs (results/auto_choice.txt).
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>
#include <vector>

#include "impl/auto/candidates.hpp"

namespace km::choosing {
namespace {  // its includers are compiled with different arithmetic

constexpr int most_tried = 4, most_raced = 6;             // the second on the CPU, where trials lengthen
constexpr int most_again = 2;                             // with another number of threads
constexpr double short_run_s = 0.002;                     // twice as many are tried for one
constexpr double min_trial_s = 0.02, min_timed_s = 0.01;  // what a trial may take in any case, and what its runs take together

/// Those that may be the fastest, likeliest first: whose range of one standard deviation meets that of the best, at most four, six on the CPU. A run
/// to convergence takes those within four times the best, too, on the CPU eight, because bounds depend on the points. So does a short run, eight in all,
/// because fixed costs spread most. A longer one takes each implementation with its likeliest number of threads, and two again with another that is
/// predicted at most twice the time, and as much more as forecasts are off. Those that state a cost but were never calibrated follow. Candidates without
/// a cost count only where there is no other. measured: seconds that the best forecast's run takes by a first trial, or 0; where that is longer, the
/// best is not as fast as predicted.
inline std::vector<Candidate> shortlist(std::vector<Candidate> all, bool until_convergence, double measured = 0) {
  std::ranges::stable_sort(all, {}, &Candidate::likely);
  const double least = all.empty() ? never : std::max(measured, all.front().likely());
  double reach = never;
  for (const Candidate& one : all)
    if (one.forecast) reach = std::min(reach, one.forecast->seconds * std::exp(one.forecast->spread));
  const bool is_short = least < short_run_s, wide = until_convergence || is_short;
  const double times = until_convergence && !all.empty() && on_cpu(all.front()) ? 8 : 4;
  const auto near = [&](const Forecast& own) { return own.seconds * std::exp(-own.spread) <= reach || (wide && own.seconds <= times * least); };
  std::vector<Candidate> some, again;
  for (const Candidate& one : all) {
    if (!one.forecast || !near(*one.forecast)) continue;
    const auto listed = std::ranges::find(some, one.number, &Candidate::number);
    const std::size_t most = is_short ? 2 * most_tried : on_cpu(one) ? most_raced : most_tried;
    if (is_short || listed == some.end()) {
      if (some.size() < most) some.push_back(one);
    } else if (again.size() < most_again && one.likely() <= 2 * std::exp(one.forecast->spread) * listed->likely()) {
      again.push_back(one);
    }
  }
  some.insert(some.end(), again.begin(), again.end());
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
template <class T, class Clock>
Measured measured(const Candidate& candidate, const Problem<T>& problem, int most_runs = 5) {
  Trace none;
  const auto solver = candidate.implementation->prepare<T>()(problem, candidate.config, none);
  Measured found;
  double spent = 0;
  for (int run = 0; run <= most_runs && spent < min_timed_s; ++run) {
    solver->reset();
    const auto start = Clock::now();
    found.iters = solver->iterate(none);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const bool counts = run > 0 || (seconds > min_timed_s && on_cpu(candidate));
    if (counts) found.seconds = std::min(found.seconds, seconds), spent += seconds;
  }
  return found;
}

/// Iterations of a trial: all trials together take about a quarter of a run, or each as long as it may take in any case.
inline int trial_iterations(const std::vector<Candidate>& some, int iters) {
  const double share = std::max(0.25 / double(some.size()), min_trial_s / some.front().likely());
  return share >= 1 ? iters : std::clamp(int(iters * share), std::min(3, iters), iters);
}

/// Predicts `whole` iterations from two runs of fewer. Iteration t takes a + b / t, because bounds exclude the more, the less the centroids move.
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
template <class T, class Clock = std::chrono::steady_clock>
Measured tried(const Candidate& candidate, Problem<T> problem, int iters, int most_runs = 5) {
  problem.max_iters = iters;
  try {
    return measured<T, Clock>(candidate, problem, most_runs);
  } catch (const std::exception&) {
    return {};
  }
}

/// The candidate whose trial predicts the shortest run.
template <class T>
Candidate fastest(const std::vector<Candidate>& some, const Problem<T>& problem, const CostModel& model) {
  const ProblemShape whole = expected(problem);
  ProblemShape part = problem;
  part.max_iters = trial_iterations(some, whole.max_iters);
  const Candidate* best = &some.front();
  double least = never;
  for (const Candidate& one : some) {
    const auto trial = one.predicted(part, model, precision_of<T>);
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

/// The same on the CPU, by two lengths of a trial. Those that may still be the fastest try twice as many iterations, and so on: bounds may pay late. So do
/// those whose trial took less time than that of the best by forecast. Of these go on, in the order of their forecasts, those whose next trials together
/// take at most four of the shortest run predicted. A trial that comes to rest tells how long a run is. If none does in as many iterations as were
/// expected, twice as many are.
template <class T, class Clock = std::chrono::steady_clock>
Candidate fastest_of_race(const std::vector<Candidate>& some, const Problem<T>& problem) {
  int whole = expected(problem).max_iters, iters = trial_iterations(some, whole);
  std::vector<Runner> runners;
  for (const Candidate& one : some) runners.push_back({.candidate = &one});
  if (iters < whole)
    for (Runner& one : runners) one.longer = tried<T, Clock>(*one.candidate, problem, iters / 2);
  for (double within = 4;; iters = std::min(2 * iters, whole), within = std::max(1.5, 0.7 * within)) {  // times the best
    for (Runner& one : runners) {
      one.shorter = std::exchange(one.longer, tried<T, Clock>(*one.candidate, problem, iters));
      if (one.longer.iters > 0 && one.longer.iters < iters) whole = std::min(whole, one.longer.iters);
    }
    const int lasts = iters == whole ? std::min(2 * whole, problem.max_iters) : whole;
    const auto run = [&](const Runner& one) { return one.run(lasts); };
    std::ranges::stable_sort(runners, {}, run);
    const double least = run(runners.front());
    const double trial_of_best = runners.front().longer.seconds;
    const Candidate& best = *runners.front().candidate;
    double next = 0;
    std::erase_if(runners, [&](const Runner& one) {
      const double own = std::min(2.0, double(whole) / iters) * one.longer.seconds;
      const bool is_slow = run(one) > within * least && one.longer.seconds >= trial_of_best;
      if (is_slow || next + own > std::max(min_trial_s, 4 * least)) return true;
      next += own;
      return false;
    });
    if (runners.size() < 2 || iters >= whole) return best;
  }
}

/// Of a run to convergence, by a first trial: its iterations if it rests soon, else 0; its seconds if the trial was long enough, else 0.
struct FirstTrial {
  int rest = 0;
  double run = 0;
};

template <class T, class Clock = std::chrono::steady_clock>
FirstTrial first_trial(const Candidate& likeliest, const Problem<T>& problem) {
  const int guess = expected(problem).max_iters;
  const double share = std::max(0.1, 2 * min_trial_s / likeliest.likely());
  const int most = std::min(problem.max_iters, share >= 1 ? problem.max_iters : std::max(3, int(guess * share)));
  const auto [seconds, iters] = tried<T, Clock>(likeliest, problem, most, 0);
  const int rest = iters < most ? iters : 0;
  return {rest, seconds == never ? 0 : seconds * (rest > 0 ? 1 : double(std::max(guess, most)) / most)};
}

}  // namespace
}  // namespace km::choosing

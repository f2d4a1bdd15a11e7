// Trials for one answer (kmbench fit and spectral). They take at most a tenth of the run that is predicted, so the best forecast wins where that is less
// than a trial. Cost: prepare of one candidate, and a tenth of a run.
#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "impl/auto/candidates.hpp"

namespace km::choosing {
namespace {  // its includers are compiled with different arithmetic

constexpr double share = 0.1, factor = 2;  // of the run, for trials; of the least run, within which a forecast is worth a trial
constexpr int least_iters = 3;             // of a trial
constexpr double layout_rate = 2e9;        // bytes a second of points that the CPU lays out anew, a guess

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

  /// Seconds of the whole run, predicted by the time of its first iterations over their forecast. A run that rests earlier is known. One iteration goes
  /// before: it loads kernels. A trial that takes `factor` times its forecast is repeated, as others may have disturbed it. Nothing if the solver
  /// cannot stop early.
  std::optional<double> trial(int iters, const ProblemShape& shape, const CostModel& model) {
    ProblemShape part = shape;
    part.max_iters = iters;
    const auto forecast = candidate.predicted(part, model, precision_of<T>);
    const double predicted = forecast ? forecast->seconds : candidate.likely();
    Trace none;
    double least = never;
    int made = 0;
    for (int run = 0; run < 3 && least > factor * predicted; ++run) {
      if (!solver->limit(run == 0 ? 1 : iters)) return std::nullopt;
      solver->reset();
      const auto start = Clock::now();
      made = solver->iterate(none);
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (run > 0) least = std::min(least, seconds);
    }
    solver->limit(shape.max_iters);
    return made < iters ? least : candidate.likely() * least / predicted;
  }

  Candidate candidate;
  Trace trace;  // of prepare
  std::unique_ptr<AnySolver<T>> solver;
  double prepare_s = 0;
};

/// The best forecast, unless trials find a faster candidate. Trials take `part` of the run at most: of the forecast, then of the least run that trials
/// predict. What counts is their iterations, and prepare of all candidates but the first. The next one tried has the next best forecast, within
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

}  // namespace
}  // namespace km::choosing

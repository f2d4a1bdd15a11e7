// Chooses among candidates by successive halving: all run on few points, the better half on four times as many, and so on to all points.
// Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "bench/base/statistics.hpp"
#include "bench/plan/sweep.hpp"
#include "bench/tune/advise.hpp"

namespace km {
namespace {

constexpr std::int64_t least_n = 8192;
constexpr double least_round_s = 1, least_run_s = 1;  // a worker must have time to start
constexpr double library_start_s = 10;                // a Python that imports its library, on a busy machine
constexpr double never = std::numeric_limits<double>::infinity();

/// The case on its first n points, one run; nothing if the implementation cannot run there.
std::optional<Case> trial_of(const Case& c, std::int64_t n, bool first) {
  Case trial = c;
  trial.n = n;
  if (n < c.n) trial.dataset.n = n;
  trial.repetitions = 1;
  trial.warmup = first ? 1 : 0;  // starts threads, loads kernels
  trial.once = true;
  return n == c.n || unsupported(trial).empty() ? std::optional(trial) : std::nullopt;
}

/// True if a run first loads its library, most in a Python of its own.
bool starts_library(const Case& c) { return c.implementation_name.starts_with("library/"); }

/// Runs the candidates in order on n points until until_s; a run may take least_s in any case. Returns false if interrupted.
bool run_round(const std::vector<Advised*>& candidates, std::int64_t n, bool first, double until_s, double least_s, const Trials& trials) {
  double best_s = never;
  for (Advised* one : candidates) {
    const double left_s = until_s - trials.elapsed_s();
    if (left_s < least_run_s / 2) return true;
    const auto trial = trial_of(one->c, n, first);
    if (!trial) continue;  // it stays in the race untried
    const double begin_s = trials.elapsed_s();
    const double start_s = starts_library(one->c) ? library_start_s : 0;
    const double limit_s = std::max(least_run_s, std::min(left_s, best_s < never ? std::max(5 * best_s, least_s) + start_s : left_s));
    auto line = trials.run(*trial, limit_s);
    if (!line) return false;
    one->wall_s = trials.elapsed_s() - begin_s;
    if (one->wall_s > limit_s && (*line)["failure"].is_string()) {
      one->cut = fmt::format("no end within {:.2g} s on {} points", limit_s, n);
      one->cut = start_s > 0 ? one->cut + ", with the start of its library" : "too slow: " + one->cut;
      continue;
    }
    one->line = std::move(line);
    if (can_be_advised(*one)) best_s = std::min(best_s, one->wall_s);
  }
  return true;
}

/// The better half of those with a right result on n points, fastest first, and the fastest exact one. Those that cannot run on so few follow.
std::vector<Advised*> better_half(const std::vector<Advised*>& candidates, std::int64_t n) {
  std::vector<Advised*> ran, cannot;
  for (Advised* one : candidates) {
    if (!one->line && !trial_of(one->c, n, false)) cannot.push_back(one);
    if (can_be_advised(*one) && points_of(*one->line) == n) ran.push_back(one);
  }
  std::ranges::stable_sort(ran, {}, [](const Advised* one) { return run_s(*one->line); });
  const auto middle = ran.begin() + std::ptrdiff_t(std::min(ran.size(), std::max(ran.size() / 2, std::size_t{3})));
  std::vector<Advised*> kept(ran.begin(), middle);
  const auto is_exact = [](const Advised* one) { return (*one->line)["grade"] == "exact"; };
  if (const auto exact = std::ranges::find_if(ran, is_exact); exact >= middle && exact != ran.end()) kept.push_back(*exact);
  kept.insert(kept.end(), cannot.begin(), cannot.end());
  return kept;
}

}  // namespace

double forecast_s(const Case& c) {
  const Description& described = c.implementation->description;
  double forecast = c.forecast_s();
  const bool threaded = std::ranges::any_of(described.parameters, [](const Parameter& p) { return p.name == "threads"; });
  const bool library = starts_library(c);                           // it chooses its threads itself
  const bool automatic = c.implementation_name.ends_with("/auto");  // it chooses threads or kernel for these points
  if (!c.on_gpu() && !threaded && !library && !automatic) forecast *= omp_get_num_procs();
  if (automatic || described.distance != Distance::difference) forecast /= 4;
  return library ? forecast + 2 : forecast;  // seconds until a Python has started
}

std::vector<std::int64_t> rounds_of(std::int64_t n, int k) {
  std::vector<std::int64_t> rounds{n};
  while (rounds.back() / 4 >= std::max(least_n, std::int64_t{10} * k)) rounds.push_back(rounds.back() / 4);
  std::ranges::reverse(rounds);
  return rounds;
}

bool halve(std::vector<Advised>& all, double until_s, const Trials& trials) {
  std::vector<Advised*> candidates;
  for (auto& one : all) candidates.push_back(&one);
  std::ranges::stable_sort(candidates, {}, [](const Advised* one) { return forecast_s(one->c); });
  if (all.empty()) return true;
  const auto rounds = rounds_of(all[0].c.n, all[0].c.k);
  for (std::size_t at = 0; at < rounds.size(); ++at) {
    const double now = trials.elapsed_s(), left_s = until_s - now;
    const double share_s = std::max(left_s / double(rounds.size() - at), std::min(least_round_s, left_s));
    if (!run_round(candidates, rounds[at], at == 0, now + share_s, until_s / 10, trials)) return false;
    if (rounds[at] < all[0].c.n) candidates = better_half(candidates, rounds[at]);
  }
  return true;
}

}  // namespace km

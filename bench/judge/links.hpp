// Links of a replay: whether a run of so many iterations ends where a longer one went on (docs/method.md#replay).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "bench/data/random.hpp"
#include "bench/device/device.hpp"
#include "bench/judge/replay.hpp"

namespace km {

constexpr double cheap_work = 2e8, most_work = 4e11;  // n k d iterations, of one run of the judge's and of all for a link
constexpr double drawn_work = 1e9;                    // n k d iterations; beyond, one run in four is asked whether it went on too long
constexpr int least_own_runs = 4, most_own_runs = 24;
constexpr int runs_again = 5;             // of the implementation itself
constexpr int nudged_runs = 12;           // where the judge's own are few
constexpr double least_share = 1.0 / 64;  // of the bounds of the judge's own runs; the first has none: where points repeat, any rounding moves labels

/// Thrown: the implementation does not support such a run.
struct NotReplayed {
  std::string reason, sentence;
};

/// Counts runs by path. Runs can show the right labels only if at least half of them took the same path.
struct Paths {
  std::map<std::uint64_t, int> counts;
  int runs = 0, most = 0;

  void add(std::uint64_t path) { ++runs, most = std::max(most, ++counts[path]); }
  bool certain() const { return 2 * most >= runs; }
};

/// How far right runs from one start lie apart, which only labels in doubt explain. A run from that start in another order adds its end in this one's.
template <class T>
struct Scatter {
  std::vector<double> bounds = {};  // of the rounding of their means
  std::vector<std::vector<T>> ends = {};
  double spread = 0;
};

inline std::int64_t changed_labels(Group* group, const Labels& a, const Labels& b) {
  std::int64_t changed = 0;
#pragma omp parallel for reduction(+ : changed) if (a.size() > 1 << 20)
  for (std::size_t i = 0; i < a.size(); ++i) changed += a[i] != b[i];
  return summed(group, changed);
}

/// Replays a problem: the whole one, or a sample.
template <class T>
class Replayer {
 public:
  Replayer(const Implementation& implementation, const Config& config, const Problem<T>& problem, const Judge<T>& judge, std::mt19937_64& draws)
      : implementation_(implementation), config_(config), problem_(problem), judge_(judge), draws_(draws) {}

  /// Runs a new solver for exactly `iters` iterations; 0: until the problem's stop.
  Ended<T> run(std::span<const T> start, int iters) const {
    const Problem<T> p = from(start, iters);
    if (const auto& unsupported = implementation_.description.unsupported) {
      std::string reason;
      try {
        reason = unsupported(p.whole(), config_, sizeof(T));
      } catch (const std::exception& error) {
        reason = fmt::format("it threw: {}", error.what());
      }
      reason = agreed(p.group, reason);
      if (!reason.empty())
        throw NotReplayed{reason, fmt::format("it does not support {} iterations of {} points: {}", p.max_iters, p.whole().n, reason)};
    }
    Trace untraced;
    const auto solver = implementation_.prepare<T>()(p, config_, untraced);
    solver->reset();
    solver->iterate(untraced);
    if (implementation_.description.device == Device::gpu) device::synchronize();
    Ended<T> ended{solver->download()};
    if (const auto wrong = judge_.explain_shape(p, ended.run); !wrong.empty())
      throw Refusal{fmt::format("after {} iterations: {}", p.max_iters, wrong)};
    return ended;
  }

  /// Refuses a run of `iters` iterations that is wrong by itself.
  void check_run(const Solution<T>& run, int iters) const {
    if (const auto wrong = judge_(run, iters).verdict; !wrong.empty()) throw Refusal{fmt::format("after {} iterations: {}", iters, wrong)};
  }

  void check_start(const Solution<T>& first) const {
    for (std::size_t cell = 0; cell < problem_.initial_centroids.size(); ++cell)
      if (const double was = first.assigned_centroids[cell], given = problem_.initial_centroids[cell]; was != given)
        throw Refusal{fmt::format("the first iteration did not start from the initial centroids: centroid {}, dimension {} was {} instead of {}",
                                  cell / problem_.d, cell % problem_.d, was, given)};
  }

  /// True if a run that tests the centroids, not the labels, may stop: no label will change again.
  bool rests(const Solution<T>& run) const { return judge_.departs && run.centroids == run.assigned_centroids; }

  double work_of(int iters) const { return double(problem_.whole().n) * problem_.k * problem_.d * iters; }

  /// Distance that the last iteration moved the centroids.
  double movement(const Solution<T>& s) const { return judge_.apart(s.assigned_centroids, s.centroids, judge_.mean_bounds(s)); }

  /// True if `later` is where the run ended, by all that rounding of the same means explains, or at most `allowed` standard deviations off.
  bool near(Ended<T>& before, const std::vector<T>& later, double allowed) const {
    if (before.run.centroids == later) return true;
    if (before.bounds.empty()) before.bounds = judge_.mean_bounds(before.run);
    return judge_.apart(before.run.centroids, later, before.bounds) <= allowed;
  }

  /// Adds a run of the implementation whose centroid c is centroid (c + rotation) % k of the given start. It must be right.
  void add(Scatter<T>& scatter, const Solution<T>& run, int rotation) const {
    check_run(run, run.iters);
    if (scatter.bounds.empty()) scatter.bounds = rotated(judge_.mean_bounds(run, judge_.summation_error(run)), back(rotation), problem_.d);
    add(scatter, rotated(run.centroids, back(rotation), problem_.d));
  }
  /// True if `later`, in the given order, lies no further from one of the runs than twice as far as they lie apart.
  bool reached(const Scatter<T>& scatter, const std::vector<T>& later) const { return nearest(scatter, later) <= 2 * scatter.spread; }
  int back(int rotation) const { return (problem_.k - rotation) % problem_.k; }
  bool is_cheap(int iters) const { return work_of(iters) <= cheap_work; }

  /// Checks that `iters` iterations from `start`, as in `before`, can lead to `later`. allowed: as for near(). by_judge: the judge's own runs decide.
  /// scatter: of runs made for other links of this problem, which share them; rotation: of this start.
  void check_link(Ended<T>& before, const std::vector<T>& later, std::span<const T> start, int iters, double allowed, Scatter<T>& scatter,
                  int rotation = 0, bool by_judge = false) const {
    if (!by_judge && near(before, later, allowed)) return;
    const auto runs_lead_there = [&] {
      const std::vector<T> in_order = rotated(later, back(rotation), problem_.d);
      add(scatter, before.run, rotation);
      while (!reached(scatter, in_order) && int(scatter.ends.size()) < runs_again) add(scatter, run(start, iters).run, rotation);
      return reached(scatter, in_order);
    };
    const bool cheap = is_cheap(iters);
    if (cheap) check_run(before.run, iters);
    else if (runs_lead_there()) return;
    const double work = work_of(iters), summation = judge_.summation_error(before.run);
    const std::vector<double> bounds = judge_.mean_bounds(before.run, summation);
    double share = 1;   // of the bounds
    Scatter<T> others;  // the judge's own runs, or nudged ones
    bool certain = false;
    const auto lead_there = [&](int runs, const auto& make) {
      others = {.bounds = bounds};
      Paths paths;
      while (!reached(others, later) && int(others.ends.size()) < runs) {
        const auto [made, path] = make();
        paths.add(path);
        add(others, made.centroids);
      }
      certain = paths.certain();
      return reached(others, later);
    };
    const auto own_run = [&] { return judge_.run_rounded(from(start, iters), summation, others.ends.empty() ? 0 : share, draws_); };
    const auto nudged_run = [&] { return std::pair(run(nudged(start), iters).run, std::uint64_t{0}); };
    const auto own_runs_lead_there = [&] { return lead_there(own_runs(work), own_run); };
    if (least_own_runs * work <= most_work && own_runs_lead_there()) return;
    if (!cheap && lead_there(nudged_runs, nudged_run)) return;  // a few own runs may miss a rare end
    if (by_judge && !certain && near(before, later, allowed)) return;
    const bool decided = certain && !judge_.departs;
    while (cheap && !certain && (share /= 2) >= least_share)
      if (own_runs_lead_there()) return;
    if (cheap && !decided && runs_lead_there()) return;
    throw Refusal{fmt::format("iteration {} does not go on where a run of {} iterations ends: the centroids are {:.2g} standard deviations apart",
                              iters + 1, iters, nearest(others, later))};
  }

  /// Checks that `first` stopped where its tolerance says. before: a run of one iteration less. Compares labels only if both runs are the same bit by bit.
  /// If they are not and no label may change, the centroids of the last assign must be the means of its labels.
  void check_stop(const Solution<T>& first, const Solution<T>& before, int& links) const {
    const ProblemShape p = problem_.whole();
    const bool same = before.centroids == first.assigned_centroids;
    const auto changed = changed_labels(problem_.group, first.labels, before.labels);
    if (first.iters < p.max_iters && !rests(first) && (same ? !p.converged(changed) : !p.converged(1) && judge_.moved(first)))
      throw Refusal{fmt::format("it stopped after {} iterations although {} of {} labels changed in the last; the tolerance is {}", first.iters,
                                same ? std::to_string(changed) : "some", p.n, p.tolerance)};
    if (!same || before.iters == 1) return;
    if (work_of(before.iters) > drawn_work && draws_() % 4 != 0) return;
    ++links;
    if (!p.converged(1)) {  // the run before may prove a change, and one change is too many
      check_run(before, before.iters);
      if (judge_.moved(before)) return;
    }
    const Solution<T> before_that = run(problem_.initial_centroids, before.iters - 1).run;
    const auto changed_before = changed_labels(problem_.group, before.labels, before_that.labels);
    if (before_that.centroids == before.assigned_centroids && p.converged(changed_before))
      throw Refusal{fmt::format("it went on for {} iterations although only {} of {} labels changed in iteration {}; the tolerance is {}",
                                first.iters, changed_before, p.n, before.iters, p.tolerance)};
  }

  /// Checks the number of iterations that a tolerance asks for against the judge's own runs, if these are cheap.
  void check_iterations() const {
    if (problem_.tolerance < 0 || judge_.departs) return;
    const Solution<T> made = run(problem_.initial_centroids, 0).run;
    if (!is_cheap(made.iters)) return;
    const double summation = judge_.summation_error(made);
    Problem<T> p = problem_;
    p.max_iters = std::min(p.max_iters, 2 * made.iters + 8);
    int least = p.max_iters, most = 1;
    Paths paths;
    for (int runs = own_runs(work_of(made.iters)); runs > 0; --runs) {
      const auto [own, path] = judge_.run_rounded(p, summation, paths.runs == 0 ? 0 : 1, draws_);
      least = std::min(least, own.iters), most = std::max(most, own.iters);
      if (made.iters >= 2 * least - most && made.iters <= 2 * most - least) return;
      paths.add(path);
    }
    if (!paths.certain()) return;
    throw Refusal{fmt::format("it made {} iterations where its tolerance of {} asks for {}", made.iters, p.tolerance, most)};
  }

 private:
  Problem<T> from(std::span<const T> start, int iters) const {
    Problem<T> p = problem_;
    p.initial_centroids = start;
    if (iters > 0) p.max_iters = iters, p.tolerance = -1;
    return p;
  }

  /// Moves each value to a neighbouring number, or not at all, at random: runs from there part where rounding lets them. Equal values stay equal.
  std::vector<T> nudged(std::span<const T> start) const {
    const std::uint64_t seed = draws_();
    const auto nudge = [&](T value) {
      const double drawn = noise(std::hash<T>{}(value), seed), side = drawn < 1.0 / 3 ? -1 : drawn < 2.0 / 3 ? 1 : 0;
      return side == 0 ? value : std::nextafter(value, T(side) * std::numeric_limits<T>::max());
    };
    std::vector<T> out(start.size());
    std::ranges::transform(start, out.begin(), nudge);
    return out;
  }

  static int own_runs(double work) { return int(std::clamp(most_work / work, double(least_own_runs), double(most_own_runs))); }

  void add(Scatter<T>& scatter, std::vector<T> end) const {
    for (const auto& other : scatter.ends) scatter.spread = std::max(scatter.spread, judge_.apart(other, end, scatter.bounds));
    scatter.ends.push_back(std::move(end));
  }
  double nearest(const Scatter<T>& scatter, const std::vector<T>& later) const {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& end : scatter.ends) least = std::min(least, judge_.apart(end, later, scatter.bounds));
    return least;
  }

  const Implementation& implementation_;
  const Config& config_;
  Problem<T> problem_;
  const Judge<T>& judge_;
  std::mt19937_64& draws_;
};

}  // namespace km

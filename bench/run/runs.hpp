// Makes the runs of one case, each from a start of its own. With ranks, all make each run together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/base/error.hpp"
#include "bench/contract/must_agree.hpp"
#include "bench/data/dataset.hpp"
#include "bench/data/hash.hpp"
#include "bench/device/device.hpp"
#include "bench/judge/judge.hpp"
#include "bench/plan/case.hpp"
#include "bench/run/points.hpp"
#include "bench/run/ranks.hpp"
#include "bench/run/timing.hpp"
#include "bench/run/together.hpp"

namespace km {

/// The initial centroids of a case's runs, in read-only memory. Each timed run of a case has other values, so that no answer can be remembered. Where no value may
/// move, starts repeat after k runs.
template <class T>
class Start {
 public:
  Start(std::vector<T> values, int d) : given_(std::move(values)), d_(d), values_(make_values<T>(given_.size())) { as_given(); }

  std::span<const T> view() const { return {values_.get(), given_.size()}; }

  void as_given() { set(given_, 0); }
  /// Takes other centroids, as many as are given.
  void take(std::vector<T> values) { set(std::move(values), 0); }
  /// Rotates the centroids by `rotation`. Moves one value by an ulp, by two after all values had a turn, and so on (none if `turn` is 0).
  void rotate(int rotation, std::size_t turn = 0) {
    auto values = rotated(given_, rotation, d_);
    if (turn > 0) {
      T& value = values[turn % values.size()];
      const T towards = value > 0 ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();  // chosen once, else 0 comes back
      for (std::size_t ulps = 0; ulps <= (turn - 1) / values.size(); ++ulps) value = std::nextafter(value, towards);
    }
    set(std::move(values), rotation);
  }
  int rotation() const { return rotation_; }
  const std::vector<T>& values() const { return now_; }
  /// True if nobody wrote to them.
  bool intact() const { return std::ranges::equal(now_, view()); }

 private:
  void set(std::vector<T> values, int rotation) {
    rotation_ = rotation;
    now_ = std::move(values);
    unprotect_values(values_.get());
    std::ranges::copy(now_, values_.get());
    protect_values(values_.get(), "the initial centroids");
  }

  std::vector<T> given_, now_;
  int d_, rotation_ = 0;
  Values<T> values_;
};

/// True if `later`, whose centroid c is centroid (c + rotation) % k of `given`, is bit-identical to it.
/// After one iteration assigned_centroids are the start itself and are not compared.
template <class T>
bool same_answer(const Solution<T>& given, const Solution<T>& later, int rotation, const ProblemShape& p) {
  if (given.iters != later.iters || given.labels.size() != later.labels.size() || rotated(given.centroids, rotation, p.d) != later.centroids ||
      (given.iters > 1 && rotated(given.assigned_centroids, rotation, p.d) != later.assigned_centroids))
    return false;
  bool same = true;
#pragma omp parallel for reduction(&& : same) if (p.n > 1 << 20)
  for (std::int64_t i = 0; i < p.n; ++i) {
    const std::int32_t label = later.labels[std::size_t(i)], moved = label < p.k - rotation ? label + rotation : label - (p.k - rotation);
    same = same && label >= 0 && label < p.k && given.labels[std::size_t(i)] == moved;
  }
  return same;
}

/// The points, the start, and a solver that is prepared for them.
template <class T>
class Runs {
 public:
  explicit Runs(const Case& c)
      : points(points_of<T>(c.dataset, all_ranks())), start(first_centroids(c, points->set), c.d), problem(problem_of(c, points->set, start.view())),
        case_(c) {
    const std::string given = points->set.hash + hash_of(start.view().data(), start.view().size_bytes());
    must_agree(group_, std::int64_t(std::hash<std::string>{}(given)), "began with other points or another start");
  }

  void prepare(Trace& trace) {
    solver_ = case_.implementation->prepare<T>()(problem, case_.config, trace);
    if (case_.on_gpu()) device::synchronize();
  }
  /// Frees the solver. No run may follow.
  void end() { solver_.reset(); }

  /// Takes the start of the case's next run.
  void take_turn(int turn) {
    const bool nudges = problem.tolerance < 0 && problem.max_iters > 1;  // else an ulp may decide a tie or the iteration of convergence
    start.rotate(turn % problem.k, nudges ? std::size_t(turn) : 0);
  }
  /// Makes a run that nobody times. Returns its iterations.
  int make() {
    Trace untraced;
    reset();
    const int iters = solver_->iterate(untraced);
    if (case_.on_gpu()) device::synchronize();
    return iters;
  }
  /// Several GPUs and their links sleep while one thread judges (results/h200/gpu_test.txt): makes a run from the start before.
  void wake_gpus() {
    if (case_.on_gpu() && case_.config.values().contains("gpus")) make();
  }

  /// Makes a timed run. With `rows`, it starts from these rows instead, which nobody can see before its reset.
  Timing timed_run(Trace& trace, int& iters, const std::vector<T>& rows = {}) {
    const auto begin = [&] {
      if (!rows.empty()) start.take(rows);
      reset();
    };
    bool alike = true;
    double own_s = 0;
    const auto run = [&] {
      if (!group_) {
        iters = solver_->iterate(trace);
        return;
      }
      const auto start = std::chrono::steady_clock::now();
      iters = solver_->iterate(trace);
      if (case_.on_gpu()) device::synchronize();
      own_s = seconds_since(start);
      alike = ended_together(*group_, iters);
    };
    const Timing timing = timed(case_.on_gpu(), begin, run, [&] { summed(group_, 0); });
    if (!alike) must_agree(group_, iters, "ended with another number of iterations");
    return shared(group_, timing, own_s);
  }
  Timing timed_run(int& iters, const std::vector<T>& rows = {}) {
    Trace untraced;
    return timed_run(untraced, iters, rows);
  }

  /// The seconds of iterate, and of reset and download together, in a run with nothing between its verbs.
  struct Whole {
    double iterate_s, beside_s;
  };
  Whole whole_run(Solution<T>& solution) {
    Trace untraced;
    const auto begin = std::chrono::steady_clock::now();
    reset();
    const double reset_s = seconds_since(begin);
    solver_->iterate(untraced);
    if (case_.on_gpu()) device::synchronize();
    const double iterated_s = seconds_since(begin);
    solution = solver_->download();
    return {iterated_s - reset_s, reset_s + seconds_since(begin) - iterated_s};
  }

  /// The solution of the last run. Its number of iterations becomes -1 if it is not the one that the run returned.
  Solution<T> download(std::optional<int> returned = {}) {
    Solution<T> solution = solver_->download();
    if (returned && solution.iters != *returned) solution.iters = -1;
    return solution;
  }

  /// Whether the implementation left the start as it was.
  std::string explain_start() const { return agreed(group_, start.intact() ? "" : "it changed the initial centroids"); }
  /// Whether it left the points.
  std::string explain_points() const { return agreed(group_, points->intact() ? "" : "it changed the points"); }

  const std::shared_ptr<const Points<T>> points;
  Start<T> start;
  const Problem<T> problem;

 private:
  /// Throws CannotRun for points from which no implementation can start. Ranks keep the UserError: one of them alone may throw.
  static std::vector<T> first_centroids(const Case& c, const Dataset<T>& set) {
    try {
      return initial_centroids(set, c.k, c.init, c.init_seed);
    } catch (const UserError& error) {
      if (set.group) throw;
      throw CannotRun(error.what());
    }
  }
  /// The case's problem with this process's rows.
  static Problem<T> problem_of(const Case& c, const Dataset<T>& set, std::span<const T> start) {
    Problem<T> p{c.shape(), set.points(), start, set.group, {set.first, set.n}};
    p.n = set.rows;
    return p;
  }

  void reset() {
    solver_->reset();
    if (case_.on_gpu()) device::synchronize();
  }

  const Case& case_;
  Group* group_ = all_ranks();
  std::unique_ptr<AnySolver<T>> solver_;
};

}  // namespace km

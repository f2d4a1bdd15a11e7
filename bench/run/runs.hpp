// Makes the runs of one case, each from a start of its own. With ranks, all make each run together.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
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
#include "bench/run/start.hpp"
#include "bench/run/timing.hpp"
#include "bench/run/together.hpp"

namespace km {

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

// Makes and times the runs of one case, each from a start of its own. With ranks, all make each run together.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>

#include "bench/base/error.hpp"
#include "bench/contract/must_agree.hpp"
#include "bench/data/dataset.hpp"
#include "bench/data/hash.hpp"
#include "bench/device/device.hpp"
#include "bench/machine/memory.hpp"
#include "bench/plan/case.hpp"
#include "bench/run/points.hpp"
#include "bench/run/ranks.hpp"
#include "bench/run/start.hpp"
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

  /// Prepares the solver and measures that.
  void prepare(Measurement& m) {
    m.dataset_hash = points->set.hash;
    m.generator = points->set.generator;
    memory::reset_peak();
    if (case_.on_gpu()) {
      device::start();
      device::reset_peak();
    }
    Trace trace(true);
    noted_library();  // discard what the last replay noted
    const ThreadDelays delays_before;
    const auto begin = std::chrono::steady_clock::now();
    solver_ = case_.implementation->prepare<T>()(problem, case_.config, trace);
    if (case_.on_gpu()) device::synchronize();
    const double prepare_s = slowest(group_, seconds_since(begin));
    trace.finish();
    m.library = noted_library();
    if (!m.line.samples_s.empty()) return;  // interleaved cases prepare again: only the first counts
    m.line.prepare_s = prepare_s - (m.library ? m.library->start_s : 0);
    m.prepare_disturbed = disturbs(ThreadDelays().since(delays_before), std::max(prepare_s, 2e-3));  // new threads start late
    m.prepare_trace = std::move(trace);
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
  Timing timed_run(Trace& trace, const std::vector<T>& rows = {}) {
    const auto begin = [&] {
      if (!rows.empty()) start.take(rows);
      reset();
    };
    int iters = 0;
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
      summed(group_, 0);  // the slowest rank's end is the run's
    };
    Timing timing = timed(case_.on_gpu(), begin, run, [&] { summed(group_, 0); });
    timing.iters = iters;
    must_agree(group_, iters, "ended with another number of iterations");
    return shared(group_, timing, own_s);
  }
  Timing timed_run(const std::vector<T>& rows = {}) {
    Trace untraced;
    return timed_run(untraced, rows);
  }

  /// Adds a sample: the one of run()'s tries with the least share of delay. Neither this choice nor the decision to repeat prefers short times.
  void sample(Measurement& m, const std::function<Timing()>& run) {
    Timing timing = run();
    const auto begin = std::chrono::steady_clock::now();
    const double allowed_s = most_repeated_s + std::reduce(m.line.samples_s.begin(), m.line.samples_s.end(), timing.wall_s);
    const auto again = [&](int tries) {
      if (std::isinf(timing.disturbed)) return tries < most_tries;
      if (!(timing.disturbed > disturbed_share && tries < most_tries)) return false;
      return of_first(group_, m.repeated_s + seconds_since(begin) < allowed_s);
    };
    for (int tries = 1; m.judgement.verdict.empty() && again(tries); ++tries) {
      wait_for_quiet();
      if (Timing next = run(); next.disturbed < timing.disturbed) timing = std::move(next);
    }
    m.repeated_s += seconds_since(begin);
    if (std::isinf(timing.disturbed) && m.judgement.verdict.empty()) {
      if (timing.complaint.empty()) throw AgreedFailure("the process was stopped from outside in every try at a timed run");
      m.judgement.verdict = timing.complaint;
    }
    add_sample(m, timing);
  }
  void add_sample(Measurement& m, const Timing& timing) const {
    m.line.samples_s.push_back(timing.wall_s);
    m.delays.push_back(timing.delay);
    if (case_.on_gpu()) m.line.samples_event_s.push_back(timing.event_s);
  }

  /// Makes the traced run, again while others had the processors meanwhile. The last try counts.
  Timing traced_run(Measurement& m) {
    const auto begin = std::chrono::steady_clock::now();
    const double allowed_s = most_repeated_s + std::reduce(m.line.samples_s.begin(), m.line.samples_s.end());
    for (int tries = 1;; ++tries) {
      start.as_given();
      Trace trace(true);
      Timing timing = timed_run(trace);
      trace.finish();
      m.trace = std::move(trace);
      m.counters = of_all_ranks(group_, m.trace.counters());
      m.trace_disturbed = timing.disturbed > disturbed_share;
      if (!m.trace_disturbed || tries == most_tries || of_first(group_, seconds_since(begin) > allowed_s)) return timing;
      wait_for_quiet();
    }
  }

  /// The seconds of iterate, and of reset and download together, in a run with nothing between its verbs, and the share of run delay in all of it.
  struct Whole {
    double iterate_s, beside_s, disturbed;
  };
  Whole whole_run(Solution<T>& solution) {
    Trace untraced;
    const ThreadDelays before;
    const auto begin = std::chrono::steady_clock::now();
    reset();
    const double reset_s = seconds_since(begin);
    solver_->iterate(untraced);
    if (case_.on_gpu()) device::synchronize();
    const double iterated_s = seconds_since(begin);
    solution = solver_->download();
    const double all_s = seconds_since(begin);
    return {iterated_s - reset_s, reset_s + all_s - iterated_s, share_of(ThreadDelays().since(before), all_s)};
  }

  /// The solution of the last run. Its number of iterations becomes -1 if it is not the one that the run returned.
  Solution<T> download(std::optional<int> returned = {}) {
    Solution<T> solution = solver_->download();
    if (returned && solution.iters != *returned) solution.iters = -1;
    return solution;
  }

  /// Whether the implementation left the start as it was.
  std::string explain_start() const { return agreed(group_, start.intact() ? "" : "it changed the initial centroids"); }
  /// Refuses a case that changed the points, and its process.
  void explain_points(Measurement& m) const {
    const std::string why = agreed(group_, points->intact() ? "" : "it changed the points");
    if (why.empty()) return;
    m.process_changed = true;
    m.judgement.verdict = why;
  }

  /// Writes <prefix>labels.npy and <prefix>centroids.npy (without any: none), if asked for also <prefix>points.npy, of all ranks. Throws UserError.
  void write(const Solution<T>& solution, const std::string& prefix, bool with_points) const {
    const Labels labels = gathered(group_, solution.labels);
    const auto all = with_points ? gathered<T>(group_, {problem.points.begin(), problem.points.end()}) : std::vector<T>();
    if (!is_first_rank()) return;
    write_labels(prefix + "labels.npy", labels);
    if (!solution.centroids.empty()) write_npy<T>(prefix + "centroids.npy", solution.centroids, problem.k, problem.d);
    if (with_points) write_npy<T>(prefix + "points.npy", all, problem.whole().n, problem.d);
  }

  const std::shared_ptr<const Points<T>> points;
  Start<T> start;
  const Problem<T> problem;

 private:
  static constexpr double most_repeated_s = 0.1;  // per case, beyond the time of its samples

  /// None for a chain. Throws CannotRun for points from which no implementation can start. Ranks keep the UserError: one of them alone may throw.
  static std::vector<T> first_centroids(const Case& c, const Dataset<T>& set) {
    if (c.implementation->description.task == Task::spectral) return {};
    try {
      std::vector<T> start = initial_centroids(set, c.k, c.init, c.init_seed);
      const auto size = [](T value) { return std::abs(double(value)); };
      check_reach<T>("initial centroids", size(std::ranges::max(start, {}, size)), {.n = set.n, .d = set.d});  // a file's lie anywhere
      return start;
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

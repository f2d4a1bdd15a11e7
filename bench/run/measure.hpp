// Measures one case: warm-up, timed runs, energy, trace and replay.
#pragma once

#include <stdexcept>

#include "bench/contract/library.hpp"
#include "bench/contract/trace.hpp"
#include "bench/judge/replay.hpp"
#include "bench/plan/case.hpp"
#include "bench/run/fields.hpp"
#include "bench/run/timing.hpp"

namespace km {

/// The results of a case's runs.
struct Measurement {
  LineFields line;  // fields of the result line, as they will stand there
  std::string dataset_hash;
  std::optional<Settings> generator;
  std::vector<Delay> delays;  // one per sample
  std::vector<double> downloads_s;
  int runs = 0;                                             // timed runs, repeated ones included
  double repeated_s = 0;                                    // time spent on repeating disturbed runs
  bool prepare_disturbed = false, trace_disturbed = false;  // measured once: others had the processors meanwhile
  int iters = 0;                                            // of the first timed run
  Trace prepare_trace, trace;
  Trace::Series counters;  // the traced run's, of all ranks
  Judgement judgement;     // of the worst run
  std::optional<Replay> replay;
  std::optional<Library> library;
  bool process_changed = false;  // the next case needs a fresh process

  /// The shortest timed run without its run delay, for what a replay takes. The delay is a sum over threads: at least a quarter of a run counts.
  double shortest_s() const;
  void judged_for(double s) { line.judge_s = line.judge_s.value_or(0) + s; }
};

/// The machine cannot hold the case, or no implementation can start from its points. Recorded as a skip.
struct CannotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A prepared case. Construction loads the points, prepares the implementation and warms up.
class Session {
 public:
  virtual ~Session() = default;
  /// Makes one timed run: reset, iterate (timed), download, judge. Repeats a disturbed run a few times. Adds a sample.
  virtual void repeat(Measurement& m) = 0;
  /// Measures energy in extra, untimed runs. Only the last is judged; a chain has none. Call after the timed runs of a right case.
  virtual void measure_energy(Measurement& /*m*/) {}
  /// Makes a traced, judged run for phases and counters, then checks the process and replays the result. Call last, if the case is right.
  virtual void finish(Measurement& m) = 0;
  /// Makes one run from the start as given, disturbed or not. Judges it, and with a tolerance of 0 that it stopped at rest. Call first, and alone.
  virtual void solve(Measurement& m) = 0;
  /// Compares the points with those loaded. A worker with other points takes no further case. Call before another case takes its turn.
  virtual void explain_points(Measurement& m) = 0;
  /// The last run's.
  virtual const Labels& labels() const = 0;
  /// Writes <prefix>{labels,centroids}.npy of the last run (n 4-byte integers, k x d), if asked for also the points. Throws UserError.
  virtual void write(const std::string& prefix, bool with_points) = 0;
};

/// Prepares a case. Throws CannotRun, UserError (data), device::Error, std::bad_alloc and exceptions of the implementation.
std::unique_ptr<Session> prepare(const Case& c, Measurement& m);
/// The same for a case of Task::spectral; prepare() calls it.
std::unique_ptr<Session> prepare_chain(const Case& c, Measurement& m);

}  // namespace km

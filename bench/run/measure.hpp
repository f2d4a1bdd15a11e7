// One case, prepared: what is timed, in which order, and what is kept.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/judge/replay.hpp"
#include "bench/library.hpp"
#include "bench/plan/case.hpp"
#include "bench/run/run_delay.hpp"
#include "bench/trace.hpp"

namespace km {

/// What a case's runs left behind.
struct Measurement {
  std::string dataset_hash;
  std::optional<Settings> generator;
  std::vector<double> samples_s, samples_event_s;  // event times only for GPU implementations
  std::vector<Delay> delays;                       // of the samples
  std::vector<double> downloads_s;
  int runs = 0;           // timed ones, those that were repeated included
  double repeated_s = 0;  // what repeating disturbed runs took
  double prepare_s = 0;
  int iters = 0;  // of the first timed run
  Trace prepare_trace{true}, trace{true};
  Judgement judgement;  // of the worst run
  std::optional<Replay> replay;
  std::optional<double> centroid_error;
  std::optional<Library> library;
  std::int64_t peak_bytes = 0;
  std::optional<std::int64_t> device_peak_bytes;
  double judge_s = 0;                       // what judging and replaying took
  std::shared_ptr<const Json> gpu, energy;  // as in the line; null: not measured
  bool process_changed = false;                     // the process is not what it was: no further case should be measured in it
};

/// The machine cannot hold the case; recorded as a skip.
struct CannotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A case between its preparation and its last run. Construction loads the points, prepares the implementation and warms up.
class Session {
 public:
  virtual ~Session() = default;
  /// Reset, time one iterate, download, judge; again, a few times, where others had the processors meanwhile. Adds a sample and returns it in
  /// seconds.
  virtual double repeat(Measurement& m) = 0;
  /// After the timed runs of a right case: further ones, untimed, for the energy that an iteration takes; judged by the last.
  virtual void measure_energy(Measurement& m) = 0;
  /// The last of a right case: a traced run for phases and counters, judged too; then the process is looked at and the result replayed.
  virtual void finish(Measurement& m) = 0;
  /// Write points, labels and centroids of the last run as <stem>.{points,labels,centroids}.npy.
  virtual void save(const std::filesystem::path& stem) = 0;
};

/// Prepare a case. Throws CannotRun, UserError (data), device::Error, std::bad_alloc, and what the implementation throws.
/// The points of the last case stay in memory for the next one that wants the same.
std::unique_ptr<Session> prepare(const Case& c, Measurement& m);

}  // namespace km

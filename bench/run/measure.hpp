// One case, prepared: what is timed, in which order, and what is kept.
#pragma once

#include <memory>
#include <stdexcept>

#include "bench/run/result.hpp"

namespace km {

/// The machine cannot hold the case; recorded as a skip.
struct CannotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A case between its preparation and its last run. Construction loads the points, prepares the implementation and warms up.
class Session {
 public:
  virtual ~Session() = default;
  /// Poison the outputs, time one iterate, download, judge. Adds a sample and returns it in seconds.
  virtual double repeat(Measurement& m) = 0;
  /// One further run with an active trace, for phases and counters.
  virtual void trace(Measurement& m) = 0;
  /// Write points, labels and centroids of the last run as <stem>.{points,labels,centroids}.npy.
  virtual void save(const std::filesystem::path& stem) = 0;
};

/// Prepare a case. Throws CannotRun, UserError (data), device::Error, std::bad_alloc, and what the implementation throws.
/// The points of the last case stay in memory for the next one that wants the same.
std::unique_ptr<Session> prepare(const Case& c, Measurement& m);

}  // namespace km

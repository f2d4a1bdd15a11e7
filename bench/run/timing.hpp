// The clock of a run, and what makes its times unbelievable.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>

#include "bench/run/run_delay.hpp"

namespace km {

double seconds_since(std::chrono::steady_clock::time_point start);

/// What the clocks said of one run.
struct Timing {
  double wall_s = 0, event_s = 0;  // event_s only on the GPU
  Delay delay;
  double disturbed = 0;   // share of the wall time that others took; infinite where the process was stopped meanwhile: no time
  std::string complaint;  // the clocks disagree, or ""
};

/// Run by the clock, which stops when the device is idle too. A child process that comes back from `run` ends here.
Timing timed(bool on_gpu, const std::function<void()>& run);

/// Work put off until download, or done in reset, in a sentence; or "". `download_s` and `sample_s` are medians, `reset_s` the least of all, for
/// the machine has other things to do. What may be downloaded: the labels and as many centroid values.
std::string explain_times(double sample_s, double download_s, double reset_s, std::span<const std::int32_t> labels, std::size_t values);

}  // namespace km

// Times one run, measures the run delay that lengthens it (threads were ready but waited for a processor), and compares two clocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace km {

/// Delay of one run. The first two fields are empty if the kernel does not report them.
struct Delay {
  std::optional<double> run_delay_s;                 // sum over threads
  std::optional<std::int64_t> involuntary_switches;  // only if run_delay_s is unknown
  std::vector<double> ranks_s;                       // wall clock of each rank until it waits for the others' end
};

/// The kernel's delay counters of every thread of a process, and of those that it started, at one moment.
class ThreadDelays {
 public:
  /// Reads task/*/schedstat below `process`, or task/*/status if schedstat is missing or zero.
  explicit ThreadDelays(const std::filesystem::path& process = "/proc/self");
  /// Returns the delay since `before`. Threads that ended count nothing; new threads count in full.
  Delay since(const ThreadDelays& before) const;

 private:
  bool timed_ = false, counted_ = false;
  std::map<int, std::int64_t> by_thread_;  // nanoseconds, or switches
};

/// A sample with a larger share of delay is disturbed. Any value from 0.005 to 0.2 selects the same samples.
constexpr double disturbed_share = 0.05;
/// Of a timed run that others disturb.
constexpr int most_tries = 5;

/// Seconds of a verb less the run delay of all threads; at least what the calling thread computed. Another thread's wait may lie beside its work.
double undelayed_s(double wall_s, const Delay& delay, double computed_s);

/// Returns the delay as a share of `wall_s` (0 if unknown). An involuntary switch counts as 1 ms, a single one as 0.
double share_of(const Delay& delay, double wall_s);
/// Returns whether the delay disturbs a run, by the rule of plots/read/disturbed.py: over 5% of delay, or at least 2 switches and 50 a second.
bool disturbs(const Delay& delay, double wall_s);

/// Sleeps until processors are free for all OpenMP threads, at most 50 ms.
void wait_for_quiet();

double seconds_since(std::chrono::steady_clock::time_point start);

/// The clocks' readings of one run.
struct Timing {
  double reset_s = 0, wall_s = 0, event_s = 0;  // reset_s without run delay; event_s only on the GPU
  double processor_s = 0;                       // of all threads, with what the clocks' readings take
  double beside_s = 0;                          // between the readings of the delay, but outside the run
  int iters = 0;                                // as the run returned them
  Delay delay;
  double disturbed = 0;   // run delay / wall time; infinite, and no time, if the process was stopped or the clocks disagree
  std::string complaint;  // the clocks disagree, or ""
};

/// How many threads ran or waited for a processor during the run. Waits that may lie beside the run do not count, nor do pool_ends_s.
double busy_threads(const Timing& timing, double pool_ends_s);

/// Times `run` until the device is idle. `reset` ends right before it, so that nothing can work between the two; `meet`, where ranks wait for each
/// other, belongs to neither. Compares the C library's clock with the kernel's. Exits a child process that returns from `run`.
Timing timed(
    bool on_gpu, const std::function<void()>& reset, const std::function<void()>& run, const std::function<void()>& meet = [] {});

/// Returns the seconds of `run` less the run delay of the process's threads; at least what the calling thread computed.
double undelayed_s(const std::function<void()>& run);

}  // namespace km

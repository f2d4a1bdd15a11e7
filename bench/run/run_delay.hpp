// Measures run delay, which lengthens samples: how long threads of this process and of those it started were ready but waited for a processor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace km {

/// Delay of one run. Both fields are empty if the kernel does not report them.
struct Delay {
  std::optional<double> run_delay_s;                 // sum over threads
  std::optional<std::int64_t> involuntary_switches;  // only if run_delay_s is unknown
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

/// Returns the delay as a share of `wall_s` (0 if unknown), as plots/read/disturbed.py does. An involuntary switch counts as 1 ms, a single one as 0.
double share_of(const Delay& delay, double wall_s);

/// Sleeps until processors are free for all OpenMP threads, at most 50 ms.
void wait_for_quiet();

}  // namespace km

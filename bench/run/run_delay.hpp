// How long this process's threads were ready to run while others had the processors: what makes a sample too long on a busy machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace km {

/// What others took from one run. Both are empty where the kernel does not tell.
struct Delay {
  std::optional<double> run_delay_s;                 // sum over the threads
  std::optional<std::int64_t> involuntary_switches;  // only where run_delay_s is not known
};

/// The kernel's counts for every thread of a process at one moment.
class ThreadDelays {
 public:
  /// Reads task/*/schedstat below `process`, or task/*/status where schedstat is missing or counts nothing.
  explicit ThreadDelays(const std::filesystem::path& process = "/proc/self");
  /// From `before` to this moment. A thread that has ended meanwhile counts nothing, a new one all that it has.
  Delay since(const ThreadDelays& before) const;

 private:
  bool timed_ = false, counted_ = false;
  std::map<int, std::int64_t> by_thread_;  // nanoseconds, or switches
};

/// The share of a run's time from which its sample counts as disturbed. Any value from 0.005 to 0.2 tells the same samples apart.
constexpr double disturbed_share = 0.05;

/// The delay as a share of `wall_s`; an involuntary switch counts as 1 ms, a single one as nothing. 0 where nothing is known.
/// plots/read/disturbed.py has the same rule.
double share_of(const Delay& delay, double wall_s);

/// How long the calling thread has been ready to run and waited, in all; 0 where the kernel does not tell.
double this_thread_delay_s();

/// Sleeps until there are processors for all OpenMP threads, 50 ms at most.
void wait_for_quiet();

}  // namespace km

// Detects process state that an implementation must not change, because the next one would run under other conditions.
#pragma once

#include <time.h>

#include <string>
#include <utility>
#include <vector>

namespace km {

class ProcessState {
 public:
  using Facts = std::vector<std::pair<std::string, std::string>>;  // names and values

  ProcessState();
  /// Returns the first change since construction, such as "it changed the rounding mode", or "".
  std::string change() const;
  bool has_more_threads() const;
  /// Returns what the process's work left behind, a change, threads that compute or child processes, or "". Kills such processes.
  std::string remains() const;

 private:
  Facts facts_;
  int threads_;
};

/// Returns true if another thread of this process runs or is ready in each of 240 checks over a quarter of a second.
bool has_busy_threads();

/// Makes this process the parent of its orphans, so that has_children() finds them.
void adopt_orphans();
/// Returns whether a child process exists beside kept_processes (bench/contract/library.hpp). Kills all such.
bool has_children();

/// Returns a clock in seconds by a direct system call, to check the C library's. Other processors than x86-64 use the library.
double kernel_clock_s(clockid_t clock = CLOCK_MONOTONIC);

/// stops() counts how often this process was stopped and continued since count_stops().
void count_stops();
int stops();

}  // namespace km

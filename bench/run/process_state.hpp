// Detects process state that an implementation must not change, because the next one would run under other conditions.
#pragma once

#include <time.h>

#include <cstddef>
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
  std::size_t threads_;
};

/// Makes this process the parent of its orphans, so that ProcessState::remains() finds them.
void adopt_orphans();

/// Returns a clock in seconds by a direct system call, to check the C library's. Other processors than x86-64 use the library.
double kernel_clock_s(clockid_t clock = CLOCK_MONOTONIC);

/// stops() counts how often this process was stopped and continued since count_stops().
void count_stops();
int stops();

}  // namespace km

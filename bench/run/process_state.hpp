// Detects process state that an implementation must not change, because the next one would run under other conditions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace km {

class ProcessState {
 public:
  /// Records rounding mode and flush-to-zero of every OpenMP thread, folder, processors, OpenMP's number of threads, standard streams,
  /// environment, scheduling of all threads, signals, OpenMP's schedule, locked memory, limits, locale, umask and timers.
  ProcessState();
  /// Returns the first change since construction, such as "it changed the rounding mode", or "".
  std::string change() const;
  bool has_more_threads() const;

 private:
  std::vector<std::uint64_t> arithmetic_;  // by thread
  std::string folder_, processors_;
  int omp_threads_, omp_dynamic_;
  std::vector<std::uint64_t> streams_;
  std::size_t environment_;
  std::string surroundings_;  // all other state, as text
  int threads_;
};

/// Returns true if another thread of this process runs or is ready in each of 240 checks over a quarter of a second.
bool has_busy_threads();

/// Makes this process the parent of its orphans, so that has_children() finds them.
void adopt_orphans();
/// Returns whether a child process exists. Kills all of them.
bool has_children();

/// Returns the steady clock in seconds by a direct system call, to check the C library's clock. Uses the library where no such call is
/// written.
double kernel_clock_s();

/// stops() counts how often this process was stopped and continued since count_stops().
void count_stops();
int stops();

}  // namespace km

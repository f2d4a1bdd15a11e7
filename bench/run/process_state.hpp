// What an implementation may not change in the process it runs in, for the next one would be measured under other conditions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace km {

class ProcessState {
 public:
  /// As it is now: rounding mode and flush-to-zero of every OpenMP thread, folder, processors this process may use, OpenMP's number of
  /// threads, standard streams, environment, priority, limits, locale, file mode mask, timers.
  ProcessState();
  /// What has changed since, or "": "it changed the rounding mode".
  std::string change() const;
  /// More threads than there were.
  bool has_more_threads() const;

 private:
  std::vector<std::uint64_t> arithmetic_;  // by thread
  std::string folder_, processors_;
  int omp_threads_, omp_dynamic_;
  std::vector<std::uint64_t> streams_;
  std::size_t environment_;
  std::string surroundings_;  // the rest, as text
  int threads_;
};

/// Whether another thread of this process is running or ready to at every look for a quarter of a second, although nothing was asked for.
bool has_busy_threads();

/// Have orphans of this process come to it, so that none escapes has_children().
void adopt_orphans();
/// Whether a child process is there. All are killed.
bool has_children();

/// The steady clock by the kernel itself, in seconds: what the C library's clock is held against. The same clock where that is not known how.
double kernel_clock_s();

/// How often this process was stopped and continued since its start; count_stops() makes it count.
void count_stops();
int stops();

}  // namespace km

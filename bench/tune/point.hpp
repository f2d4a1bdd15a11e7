// Measures points of a search in worker processes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan/case.hpp"
#include "bench/run/workers.hpp"

namespace km {

/// Machine and command line, as recorded in every line.
struct Provenance {
  std::vector<std::string> argv;
  std::string machine;
};

/// Time of a search. It begins when the first point has its time.
class Budget {
 public:
  explicit Budget(double seconds) : seconds_(seconds) {}
  void begin() {
    if (!begin_) begin_ = Clock::now();
  }
  bool over() const { return begin_ && std::chrono::duration<double>(Clock::now() - *begin_).count() > seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_;
  std::optional<Clock::time_point> begin_;
};

/// Returns the line of one case; null if interrupted. Throws std::runtime_error if no worker begins with it.
std::shared_ptr<const Json> measure_point(Workers& workers, const Case& c, double timeout_s, const Provenance& by);

/// Measures cases in a fresh process, `repetitions` timed runs each, interleaved in random order. Calls `note` with each line. Returns false if
/// interrupted.
bool measure_together(std::vector<Case> cases, int repetitions, double timeout_s, double memory_bytes, const Provenance& by,
                      const std::function<void(const Case&, const Json&)>& note);

/// Worker of both.
int work_on_points(const Provenance& by, Inbox& inbox);

}  // namespace km

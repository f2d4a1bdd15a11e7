// Measures points of a search in worker processes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bench/run/run.hpp"
#include "bench/run/workers.hpp"

namespace km {

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
std::shared_ptr<const Json> measure_point(Workers& workers, const Case& c, double timeout_s, const RunOptions& run);

/// Measures cases in a fresh process, `repetitions` timed runs each, interleaved in random order. Calls `note` with each line. Returns false if
/// interrupted, or late.
bool measure_together(std::vector<Case> cases, int repetitions, const RunOptions& run, const std::function<void(const Case&, const Json&)>& note,
                      std::optional<std::chrono::steady_clock::time_point> until = {});

}  // namespace km

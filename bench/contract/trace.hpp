// Records one traced run: seconds per phase and counters, by iteration. Timed runs pass an inactive Trace, where every call is a branch.
// Phases before the first iteration (transfer, transpose, init) belong to prepare.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace km {

class Trace {
 public:
  using Series = std::map<std::string, std::vector<double>, std::less<>>;

  /// Times a phase on the host's steady clock from construction to destruction.
  class [[nodiscard]] Phase {
   public:
    Phase(Trace& trace, std::string_view name) : trace_(trace), name_(name) {
      if (trace_.active()) start_ = std::chrono::steady_clock::now();
    }
    ~Phase() {
      if (trace_.active()) trace_.add(name_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
    }
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    Trace& trace_;
    std::string_view name_;
    std::chrono::steady_clock::time_point start_;
  };

  explicit Trace(bool active = false) : active_(active) {}

  bool active() const { return active_; }
  Phase phase(std::string_view name) { return Phase(*this, name); }

  /// Starts the next iteration; its phases follow.
  void begin_iteration() { ++iteration_; }

  /// Adds seconds to a phase of the current iteration.
  void add(std::string_view phase, double seconds);
  /// The same for a time known only after the device has finished. finish() calls `seconds`.
  void defer(std::string_view phase, std::function<double()> seconds);
  /// Adds to a counter of the current iteration (distance computations, bytes).
  void count(std::string_view counter, double amount);
  /// Resolves deferred times (the device is idle) and fills every series to one entry per iteration.
  void finish();

  int iters() const { return iteration_; }          // begun
  const Series& phases() const { return phases_; }  // seconds, one entry per iteration
  const Series& counters() const { return counters_; }
  const std::map<std::string, double, std::less<>>& prepare() const { return prepare_; }  // seconds

 private:
  struct Deferred {
    std::string phase;
    int iteration;
    std::function<double()> seconds;
  };
  void add_at(int iteration, std::string_view phase, double seconds);

  bool active_;
  int iteration_ = 0;
  Series phases_, counters_;
  std::map<std::string, double, std::less<>> prepare_;
  std::vector<Deferred> deferred_;
};

}  // namespace km

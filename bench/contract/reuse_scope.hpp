// Lets an implementation keep expensive resources between its instances.
#pragma once

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

namespace km {

/// While one lives, implementations may keep resources that start slowly (an interpreter), as in the judge's replay. The last one frees them.
class ReuseScope {
 public:
  ReuseScope() { ++alive_; }
  ~ReuseScope() {
    if (--alive_ > 0) return;
    for (const auto& drop : drops_) drop();
  }
  ReuseScope(ReuseScope&&) = delete;

  static bool active() { return alive_ > 0; }
  /// Registers a callback that frees what was kept. Call once.
  static void on_end(std::function<void()> drop) { drops_.push_back(std::move(drop)); }

 private:
  static inline std::atomic<int> alive_ = 0;
  static inline std::vector<std::function<void()>> drops_;
};

}  // namespace km

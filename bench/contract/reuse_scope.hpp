// Lets an implementation keep expensive resources between its instances.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace km {

/// During its lifetime, implementations may keep what is slow to start (an interpreter with its libraries). The judge's replay makes many instances,
/// all untimed. The last ReuseScope frees the resources.
class ReuseScope {
 public:
  ReuseScope() { ++alive_; }
  ~ReuseScope() {
    if (--alive_ > 0) return;
    for (const auto& drop : drops_) drop();
  }
  ReuseScope(const ReuseScope&) = delete;
  ReuseScope& operator=(const ReuseScope&) = delete;

  static bool active() { return alive_ > 0; }
  /// Registers a callback that frees what was kept. Call once.
  static void on_end(std::function<void()> drop) { drops_.push_back(std::move(drop)); }

 private:
  static inline int alive_ = 0;
  static inline std::vector<std::function<void()>> drops_;
};

}  // namespace km

// Lets an implementation keep expensive resources between its instances.
#pragma once

#include <functional>

namespace km {

/// During its lifetime, implementations may keep what is slow to start (an interpreter with its libraries). The judge's replay makes many instances,
/// all untimed. The last ReuseScope frees the resources.
class ReuseScope {
 public:
  ReuseScope();
  ~ReuseScope();
  ReuseScope(const ReuseScope&) = delete;
  ReuseScope& operator=(const ReuseScope&) = delete;

  static bool active();
  /// Registers a callback that frees what was kept. Call once.
  static void on_end(std::function<void()> drop);
};

}  // namespace km

// What an implementation may keep from one of its instances to the next.
#pragma once

#include <functional>

namespace km {

/// While one of these lives, what is dear to start (an interpreter with its libraries) may be kept from one instance of an implementation to
/// the next: the judge's replay makes many, none of them timed. What was kept ends with the last ReuseScope.
class ReuseScope {
 public:
  ReuseScope();
  ~ReuseScope();
  ReuseScope(const ReuseScope&) = delete;
  ReuseScope& operator=(const ReuseScope&) = delete;

  static bool active();
  /// Who keeps something says how to end it, once.
  static void on_end(std::function<void()> drop);
};

}  // namespace km

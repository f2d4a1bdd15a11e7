// What an implementation may keep from one of its instances to the next.
#pragma once

#include <functional>

namespace km {

/// While one of these lives, what is dear to start (an interpreter with its libraries) may be kept from one instance of an implementation to
/// the next: the judge's replay makes many, none of them timed. What was kept ends with the last Keeping.
class Keeping {
 public:
  Keeping();
  ~Keeping();
  Keeping(const Keeping&) = delete;
  Keeping& operator=(const Keeping&) = delete;

  static bool now();
  /// Who keeps something says how to end it, once.
  static void at_end(std::function<void()> drop);
};

}  // namespace km

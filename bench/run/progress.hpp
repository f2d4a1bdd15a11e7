// Progress on standard error: a line a case as it ends, and on a terminal one that renews itself with the case that runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/plan/case.hpp"
#include "bench/run/terminal.hpp"

namespace km {

/// What a line came to: "0.118 ms an iteration (0.110 to 26.500), 10 iterations", or why there is no time.
std::string outcome(const nlohmann::ordered_json& line);
/// Red for what is wrong or failed, yellow for what was skipped.
Colour colour_of(const nlohmann::ordered_json& line);
/// A sentence where a timed run took more than three times the median; else empty.
std::string far_off(const nlohmann::ordered_json& line);

class Progress {
 public:
  /// Says so where the machine is not quiet.
  explicit Progress(std::size_t cases);
  void start(const Case& c);
  void done(const Case& c, const nlohmann::ordered_json& line);

 private:
  void print(const std::string& head, const std::string& name, const std::string& tail, Colour colour) const;
  void warn(const std::string& sentence) const;

  std::size_t cases_, done_ = 0;
  int columns_;  // 0: no terminal
  bool coloured_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace km

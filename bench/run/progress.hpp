// Progress on standard error: on a terminal one line that renews itself, in a log a line as a group of jobs ends, and every half minute.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/run/terminal.hpp"

namespace km {

/// What a line came to: "0.118 ms an iteration (0.110 to 26.500), 10 iterations", or why there is no time.
std::string outcome(const nlohmann::ordered_json& line);
/// Red for what is wrong or failed, yellow for what was skipped.
Colour colour_of(const nlohmann::ordered_json& line);
/// A sentence where a timed run took more than three times the median although nobody disturbed it; else empty.
std::string far_off(const nlohmann::ordered_json& line);

class Progress {
 public:
  /// How many jobs there are, by group: an exhibit's cases.
  explicit Progress(std::map<std::string, std::size_t> groups);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void start(const std::string& job);
  void done(const std::string& group);
  /// Text that stays, above the line; about a job, whose name is shortened first where there is too little room.
  void say_of(const std::string& job, const std::string& text, Colour colour);
  void say(const std::string& text, Colour colour = Colour::none);
  /// Take the line off the terminal: something else is to be printed.
  void clear();

 private:
  std::string head() const;

  std::map<std::string, std::size_t> left_;  // by group
  std::size_t all_ = 0, done_ = 0;
  int columns_;  // 0: no terminal
  bool coloured_, shows_ = false;
  std::chrono::steady_clock::time_point start_, last_print_;
};

}  // namespace km

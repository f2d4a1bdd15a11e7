// Shows progress on standard error. A terminal gets one line that updates; a log gets a line per finished group and every 30 s.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace km {

enum class Colour { none = 0, dim = 2, red = 31, yellow = 33 };

/// Width of the terminal behind this file; 0 if it is none.
int columns_of(std::FILE* file);
/// True if this file is a terminal and NO_COLOR (https://no-color.org) is not set.
bool wants_colour(std::FILE* file);

std::string coloured(std::string_view text, Colour colour);

/// "89 s", "12 min" or "2.5 h".
std::string duration_text(double seconds);

/// Summarizes a line: "0.118 ms an iteration (0.110 to 26.500), 10 iterations", or the reason for no time.
std::string outcome(const nlohmann::ordered_json& line);
/// Red for wrong or failed, yellow for skipped.
Colour colour_of(const nlohmann::ordered_json& line);
/// Returns a warning if an undisturbed run took more than three times the median, or "".
std::string far_off(const nlohmann::ordered_json& line);

class Progress {
 public:
  /// group_of: names a job's group (an exhibit's cases).
  template <class Jobs, class GroupOf>
  Progress(const Jobs& jobs, GroupOf group_of) : all_(jobs.size()) {
    for (const auto& job : jobs) ++left_[group_of(job)];
  }
  ~Progress() { clear(); }
  Progress(Progress&&) = delete;

  void start(const std::string& job);
  void done(const std::string& group);
  /// Prints text that stays, above the progress line. say_of shortens the job's name first if the line is too long.
  void say_of(const std::string& job, const std::string& text, Colour colour);
  void say(const std::string& text, Colour colour = Colour::none);
  /// Erases the progress line before other output.
  void clear();

 private:
  std::string head() const;

  std::map<std::string, std::size_t> left_;  // by group
  std::size_t all_ = 0, done_ = 0;
  int columns_ = columns_of(stderr);  // 0: no terminal
  bool coloured_ = wants_colour(stderr), shows_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_print_ = start_;
};

}  // namespace km

#include "bench/run/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/base/statistics.hpp"
#include "bench/base/text.hpp"
#include "bench/run/result.hpp"
#include "bench/run/timing.hpp"

namespace km {
namespace {

constexpr double far_from_median = 3;
constexpr std::chrono::seconds between_lines(30);  // in a log
constexpr std::size_t log_columns = 80;

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

int columns_of(std::FILE* file) {
  winsize size{};
  if (!::isatty(::fileno(file))) return 0;
  return ::ioctl(::fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool wants_colour(std::FILE* file) {
  const char* refused = std::getenv("NO_COLOR");
  return ::isatty(::fileno(file)) && (refused == nullptr || *refused == '\0');
}

std::string coloured(std::string_view text, Colour colour) {
  return colour == Colour::none ? std::string(text) : fmt::format("\033[{}m{}\033[0m", int(colour), text);
}

std::string outcome(const Json& line) {
  if (std::string reason = reason_of(line); !reason.empty()) return reason;
  const std::vector<double> samples = line["samples_s"];
  const double iters = line["iterations"], ms = 1e3 / iters;
  const auto [least, most] = std::ranges::minmax(samples);
  const std::string range = samples.size() > 1 ? fmt::format(" ({:.3f} to {:.3f})", least * ms, most * ms) : "";
  const std::string grade = line["grade"] == "coarse" ? ", coarse" : "";
  return fmt::format("{:.3f} ms an iteration{}, {:.0f} iterations{}{}", iteration_s(line) * 1e3, range, iters, grade,
                     is_disturbed(line) ? ", disturbed" : "");
}

Colour colour_of(const Json& line) {
  if (line["skip"].is_string()) return Colour::yellow;
  return line["verdict"] == "" ? Colour::none : Colour::red;
}

std::string far_off(const Json& line) {
  const std::vector<double> samples = line["samples_s"];
  if (samples.empty()) return "";
  const std::vector<bool> disturbed = disturbed_samples(line);
  const double middle = median(samples);
  std::vector<double> far;
  for (std::size_t at = 0; at < samples.size(); ++at)
    if (!disturbed[at] && samples[at] > far_from_median * middle) far.push_back(samples[at]);
  if (far.empty()) return "";
  return fmt::format("{} of {} runs took over {:.0f} times the median, the longest {:.3f} ms beside {:.3f} ms: what else ran then?", far.size(),
                     samples.size(), far_from_median, std::ranges::max(far) * 1e3, middle * 1e3);
}

void Progress::start(const std::string& job) {
  if (columns_ > 0) {
    const std::string text = fitted(head() + " " + job, std::size_t(columns_ - 1));
    fmt::print(stderr, "\r\033[K{}", coloured_ ? coloured(text, Colour::dim) : text);
    std::fflush(stderr);
    shows_ = true;
  } else if (std::chrono::steady_clock::now() - last_print_ >= between_lines) {
    say(fitted(head() + " " + job, log_columns));
  }
}

void Progress::done(const std::string& group) {
  ++done_;
  const bool group_ends = --left_[group] == 0;
  if (columns_ == 0 && group_ends) say(fitted(head() + (group.empty() ? "" : " " + group + " has ended"), log_columns));
}

void Progress::say(const std::string& text, Colour colour) {
  clear();
  const std::string shown = columns_ > 0 ? fitted(text, std::size_t(columns_)) : text;
  fmt::print(stderr, "{}\n", coloured_ ? coloured(shown, colour) : shown);
  std::fflush(stderr);
  last_print_ = std::chrono::steady_clock::now();
}

void Progress::say_of(const std::string& job, const std::string& text, Colour colour) {
  if (columns_ == 0) return say(job + ": " + text, colour);
  const auto columns = std::size_t(columns_), rest = characters(text) + 2;
  const std::string name = fitted(job, std::max(columns / 3, columns > rest ? columns - rest : 0));
  say(name + ": " + beginning(text, columns - std::min(columns, characters(name) + 2)), colour);
}

void Progress::clear() {
  if (std::exchange(shows_, false)) fmt::print(stderr, "\r\033[K");
}

/// "[12/368, 4 min left]"
std::string Progress::head() const {
  if (done_ == 0 || done_ == all_) return fmt::format("[{}/{}]", done_, all_);
  return fmt::format("[{}/{}, {} left]", done_, all_, duration_text(seconds_since(start_) / double(done_) * double(all_ - done_)));
}

}  // namespace km

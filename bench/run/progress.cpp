#include "bench/run/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/machine/environment.hpp"
#include "bench/statistics.hpp"

namespace km {
namespace {

constexpr double far_from_median = 3;

std::string time_left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string outcome(const Json& line) {
  if (line["skip"].is_string()) return "skipped: " + line["skip"].get<std::string>();
  if (line["failure"].is_string()) return "failed: " + line["failure"].get<std::string>();
  if (const std::string verdict = line["verdict"]; !verdict.empty()) return "wrong: " + verdict;
  const std::vector<double> samples = line["samples_s"];
  const double iters = line["iterations"], ms = 1e3 / iters;
  const auto [least, most] = std::ranges::minmax(samples);
  const std::string range = samples.size() > 1 ? fmt::format(" ({:.3f} to {:.3f})", least * ms, most * ms) : "";
  const std::string grade = line["grade"] == "coarse" ? ", coarse" : "";
  return fmt::format("{:.3f} ms an iteration{}, {:.0f} iterations{}", median(samples) * ms, range, iters, grade);
}

Colour colour_of(const Json& line) {
  if (line["skip"].is_string()) return Colour::yellow;
  return line["verdict"] == "" ? Colour::none : Colour::red;
}

std::string far_off(const Json& line) {
  const std::vector<double> samples = line["samples_s"];
  if (samples.empty()) return "";
  const double middle = median(samples), most = std::ranges::max(samples);
  if (most <= far_from_median * middle) return "";
  const auto off = std::ranges::count_if(samples, [&](double s) { return s > far_from_median * middle; });
  return fmt::format("{} of {} runs took over {:.0f} times the median, the longest {:.3f} ms beside {:.3f} ms: what else ran then?", off,
                     samples.size(), far_from_median, most * 1e3, middle * 1e3);
}

Progress::Progress(std::size_t cases)
    : cases_(cases), columns_(columns_of(stderr)), coloured_(wants_colour(stderr)), start_(std::chrono::steady_clock::now()) {
  if (const std::string busy = load_warning(); cases > 0 && !busy.empty()) warn(busy + ": times will be too long, and intervals wide");
}

void Progress::start(const Case& c) {
  if (columns_ == 0) return;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const std::string left = done_ == 0 ? "" : ", " + time_left(elapsed / double(done_) * double(cases_ - done_)) + " left";
  print(fmt::format("[{}/{}{}] ", done_ + 1, cases_, left), c.name(), "", Colour::dim);
  std::fflush(stderr);
}

void Progress::done(const Case& c, const Json& line) {
  ++done_;
  print(fmt::format("[{}/{}] ", done_, cases_), c.name(), ": " + outcome(line), colour_of(line));
  fmt::print(stderr, "\n");
  if (const std::string sentence = far_off(line); !sentence.empty()) warn(sentence);
  std::fflush(stderr);
}

/// On a terminal in the place of the line before, and the name as long as there is room for it beside the rest, but never less than a third of the line.
void Progress::print(const std::string& head, const std::string& name, const std::string& tail, Colour colour) const {
  if (columns_ == 0) return fmt::print(stderr, "{}{}{}", head, name, tail);
  const auto columns = std::size_t(columns_ - 1), rest = head.size() + tail.size();
  const std::string shown = fitted(name, std::max(columns / 3, columns > rest ? columns - rest : 0));
  const std::string text = colour == Colour::dim ? fitted(head + shown, columns) : head + shown + tail;
  fmt::print(stderr, "\r\033[K{}", coloured_ ? coloured(text, colour) : text);
}

void Progress::warn(const std::string& sentence) const {
  const std::string text = "warning: " + sentence;
  fmt::print(stderr, "{}\n", coloured_ ? coloured(text, Colour::yellow) : text);
}

}  // namespace km

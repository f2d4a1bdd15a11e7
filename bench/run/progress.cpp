#include "bench/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "bench/run/result.hpp"

namespace km {
namespace {

std::string time_left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

std::string outcome(const Json& line) {
  if (line["skip"].is_string()) return "skipped: " + line["skip"].get<std::string>();
  if (line["failure"].is_string()) return "failed: " + line["failure"].get<std::string>();
  if (const std::string verdict = line["verdict"]; !verdict.empty()) return "wrong: " + verdict;
  return fmt::format("{:.3f} ms/iteration, {} iterations", median(line["samples_s"]) / line["iterations"].get<double>() * 1e3,
                     line["iterations"].get<int>());
}

}  // namespace

Progress::Progress(std::size_t cases) : cases_(cases), terminal_(::isatty(STDERR_FILENO)), start_(std::chrono::steady_clock::now()) {}

void Progress::start(const Case& c) {
  if (!terminal_) return;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const std::string left = done_ == 0 ? "" : ", " + time_left(elapsed / double(done_) * double(cases_ - done_)) + " left";
  fmt::print(stderr, "\r\033[K[{}/{}{}] {}", done_ + 1, cases_, left, c.name());
  std::fflush(stderr);
}

void Progress::done(const Case& c, const Json& line) {
  ++done_;
  if (terminal_) fmt::print(stderr, "\r\033[K");
  if (!terminal_ || !line["verdict"].is_string() || line["verdict"] != "")
    fmt::print(stderr, "[{}/{}] {}: {}\n", done_, cases_, c.name(), outcome(line));
  std::fflush(stderr);
}

}  // namespace km

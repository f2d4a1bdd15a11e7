#include "bench/run/energy.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "bench/machine/energy.hpp"

namespace km {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr double longest_step_s = 5;      // a counter that stands still for as long does not count this
constexpr double between_looks_s = 2e-3;  // a short run is not worth a look of its own, while which the device idles

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Json skipped(const EnergyMeter& meter, const std::string& why) {
  return {{"joules", nullptr}, {"iterations", nullptr}, {"window_s", nullptr}, {"source", meter.source()}, {"skipped", why}};
}

}  // namespace

Json energy_of(EnergyMeter& meter, const std::function<int()>& run, double least_s) {
  if (!meter.unreadable().empty()) return skipped(meter, meter.unreadable());
  std::int64_t iterations = 0;
  /// Runs until the counter has moved, `wait_s` from now on; what it shows then.
  const auto next_step = [&](double wait_s) -> std::optional<double> {
    const auto start = Clock::now();
    auto before = meter.joules(), now = before;
    for (auto still_since = start;;) {
      const auto last_look = Clock::now();
      do iterations += run();
      while (seconds_since(last_look) < between_looks_s);
      now = meter.joules();
      if (!before || !now) return std::nullopt;
      if (*now == *before) {
        if (seconds_since(still_since) > longest_step_s) return std::nullopt;
        continue;
      }
      if (seconds_since(start) >= wait_s) return now;
      before = now;
      still_since = Clock::now();
    }
  };
  if (!meter.joules() || !next_step(0)) return skipped(meter, "the counter stands still or fell silent");
  const auto from = meter.joules();
  const auto start = Clock::now();
  iterations = 0;
  const auto to = next_step(least_s);
  const double window_s = seconds_since(start);
  if (!from || !to) return skipped(meter, "the counter stands still or fell silent");
  return {{"joules", *to - *from}, {"iterations", iterations}, {"window_s", window_s}, {"source", meter.source()}, {"skipped", nullptr}};
}

}  // namespace km

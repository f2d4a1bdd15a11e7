#include "bench/run/energy.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "bench/machine/energy.hpp"
#include "bench/run/timing.hpp"

namespace km {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr double longest_step_s = 5;  // longest wait for a step of the counter
/// The device idles during a reading. NVML on an H200 takes 4 ms, and its counter steps every 100 ms.
constexpr double between_looks_s = 0.01;

Json skipped(const EnergyMeter& meter, const std::string& why) {
  return {{"joules", nullptr}, {"iterations", nullptr}, {"window_s", nullptr}, {"source", meter.source()}, {"skipped", why}};
}

}  // namespace

Json energy_of(EnergyMeter& meter, const std::function<int()>& run, double least_s) {
  if (!meter.unreadable().empty()) return skipped(meter, meter.unreadable());
  std::int64_t iters = 0;
  /// Makes at least one run, and further ones until `seconds` have passed. Returns their number.
  const auto runs_for = [&](double seconds) {
    int made = 0;
    for (const auto start = Clock::now(); made == 0 || seconds_since(start) < seconds; ++made) iters += run();
    return made;
  };
  /// Runs for `wait_s`, then until the counter steps. Returns the new value.
  const auto next_step = [&](double wait_s) -> std::optional<double> {
    auto before = meter.joules();
    if (runs_for(wait_s) > 1) before = meter.joules();  // one long run alone may have caused the step
    for (const auto still_since = Clock::now(); before && seconds_since(still_since) < longest_step_s; runs_for(between_looks_s)) {
      const auto now = meter.joules();
      if (!now || *now != *before) return now;
    }
    return std::nullopt;
  };
  const auto from = next_step(0);
  const auto start = Clock::now();
  iters = 0;
  const auto to = from ? next_step(least_s) : from;
  const double window_s = seconds_since(start);
  if (!to) return skipped(meter, "the counter stands still or fell silent");
  return {{"joules", *to - *from}, {"iterations", iters}, {"window_s", window_s}, {"source", meter.source()}, {"skipped", nullptr}};
}

std::string explain_energy(double window_s, double runs, double sample_s) {
  const double run_s = window_s / runs;
  if (3 * run_s + 1e-4 >= sample_s) return "";
  return fmt::format("energy runs took {:.3g} ms each, timed runs at least {:.3g} ms", run_s * 1e3, sample_s * 1e3);
}

}  // namespace km

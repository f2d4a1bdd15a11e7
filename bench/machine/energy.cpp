#include "bench/machine/energy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/base/proc.hpp"
#include "bench/device/device.hpp"
#include "bench/machine/nvml.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

/// Returns the package zones intel-rapl:0, intel-rapl:1, ... (AMD's too). Sub-zones have a second colon.
std::vector<fs::path> packages_in(const fs::path& powercap) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(powercap, error)) {
    const std::string zone = entry.path().filename().string();
    const bool package = first_line(entry.path() / "name").starts_with("package");
    if (package && zone.starts_with("intel-rapl:") && std::ranges::count(zone, ':') == 1) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

EnergyMeter::EnergyMeter(bool gpu, const fs::path& folder) {
  if (gpu) {
    uuid_ = device::uuid();
    source_ = "NVML";
    if (!nvml::energy_mj(uuid_)) unreadable_ = "NVML does not tell this card's energy";
    return;
  }
  source_ = "RAPL";
  for (const auto& zone : packages_in(folder)) {
    const auto now = number_in<double>(zone / "energy_uj"), range = number_in<double>(zone / "max_energy_range_uj");
    if (!now || !range) {
      unreadable_ = fmt::format("{} may not be read by this user", (zone / "energy_uj").string());
      return;
    }
    packages_.push_back({zone / "energy_uj", *range, *now});
  }
  if (packages_.empty()) unreadable_ = fmt::format("no RAPL counters in {}", folder.string());
  else source_ = fmt::format("RAPL, {} {}", packages_.size(), packages_.size() == 1 ? "package" : "packages");
}

std::optional<double> EnergyMeter::joules() {
  if (!unreadable_.empty()) return std::nullopt;
  if (!uuid_.empty()) {
    const auto millijoules = nvml::energy_mj(uuid_);
    return millijoules ? std::optional(double(*millijoules) * 1e-3) : std::nullopt;
  }
  double sum = 0;
  for (auto& package : packages_) {
    const auto now = number_in<double>(package.counter);
    if (!now) return std::nullopt;
    if (*now < package.last) package.turns += package.range;
    package.last = *now;
    sum += package.turns + *now;
  }
  return sum * 1e-6;
}

}  // namespace km

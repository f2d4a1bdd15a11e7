// Reads a card's state through NVML (libnvidia-ml.so.1), loaded at run time. Builds need nothing, and machines without it have no readings.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace km::nvml {

/// Fields are empty without the library, the card or the reading.
struct Reading {
  std::optional<unsigned> sm_mhz, memory_mhz;  // now
  std::optional<unsigned> max_sm_mhz, max_memory_mhz;
  std::optional<unsigned> power_mw, power_limit_mw;  // current draw; enforced limit
  std::optional<unsigned> temperature_c;
  std::optional<std::uint64_t> throttle_reasons;  // NVML's bits
  std::optional<std::int64_t> energy_mj;          // since the driver's start
  bool operator==(const Reading&) const = default;
};

/// Reads the card with this UUID (device::uuid()). Never throws.
Reading read(const std::string& uuid);
std::optional<std::string> driver_version();
/// Reads the energy alone, which is cheap.
std::optional<std::int64_t> energy_mj(const std::string& uuid);

/// The value, or null.
nlohmann::ordered_json json(std::optional<unsigned> value);

}  // namespace km::nvml

namespace km {

/// The GPU's state from construction to finish(): the timed runs of one case with their downloads and judgements.
class GpuState {
 public:
  GpuState();  // the selected device
  /// Returns {sm_mhz, mem_mhz, temperature_c: [before, after], throttle: words or null, energy_j, window_s}. Fields are null if NVML is silent.
  /// energy_j is null if the window is below 0.5 s, because the counter moves in steps.
  nlohmann::ordered_json finish() const;

 private:
  std::string uuid_;
  nvml::Reading before_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace km

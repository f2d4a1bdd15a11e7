// What NVIDIA's management library says of a card, loaded at run time (libnvidia-ml.so.1), so that nothing is needed to build and a
// machine without it has no readings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace km::nvml {

/// Empty where the library, the card or the one reading is not to be had.
struct Reading {
  std::optional<int> sm_mhz, memory_mhz;  // now
  std::optional<int> max_sm_mhz, max_memory_mhz;
  std::optional<int> power_mw, power_limit_mw;  // drawn now; the enforced limit
  std::optional<int> temperature_c;
  std::optional<std::uint64_t> throttle_reasons;  // NVML's bits; throttle_words() names them
  std::optional<std::int64_t> energy_mj;          // since the driver was loaded
  std::optional<bool> ecc;
};

/// The card with this UUID (device::uuid()). No reading throws.
Reading read(const std::string& uuid);
std::optional<std::string> driver_version();
/// Of that reading the energy alone, which is cheap enough to ask for again and again.
std::optional<std::int64_t> energy_mj(const std::string& uuid);

/// What held the clocks down: "idle", "power_cap", "hardware_slowdown", "thermal", ... Unknown bits as "bit 12".
std::vector<std::string> throttle_words(std::uint64_t reasons);

}  // namespace km::nvml

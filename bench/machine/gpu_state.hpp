// Records the GPU's state during a case: clocks before and after, temperature, throttle reasons, energy. From NVML; null if unavailable.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/machine/nvml.hpp"

namespace km {

/// From construction to finish(): the timed runs of one case with their downloads and judgements.
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

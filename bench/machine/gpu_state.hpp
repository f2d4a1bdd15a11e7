// The GPU's state round a case: clocks before and after, temperature, what held the clocks down, energy. From NVML, null where silent.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/machine/nvml.hpp"

namespace km {

/// From construction to finish(): the timed runs of one case, with the downloads and judgements between them.
class GpuState {
 public:
  GpuState();  // of the selected device
  /// {sm_mhz, mem_mhz, temperature_c: [before, after], throttle: words or null, energy_j, window_s}; null where NVML says nothing.
  /// energy_j is null where the window is shorter than half a second: the counter moves in steps.
  nlohmann::ordered_json finish() const;

 private:
  std::string uuid_;
  nvml::Reading before_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace km

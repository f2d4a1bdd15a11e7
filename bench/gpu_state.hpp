// The GPU's state round a case: clocks before and after, temperature, what held the clocks down, energy. From NVML, null where silent.
#pragma once

#include <nlohmann/json.hpp>
#include <chrono>

namespace km {

/// From construction to finish(): the timed runs of one case.
class GpuState {
 public:
  GpuState();
  nlohmann::ordered_json finish() const;

 private:
  nlohmann::ordered_json before_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace km

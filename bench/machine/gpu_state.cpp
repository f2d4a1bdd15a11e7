#include "bench/machine/gpu_state.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "bench/device/device.hpp"

namespace km {
namespace {

using Json = nlohmann::ordered_json;

constexpr double shortest_energy_window_s = 0.5;

Json json(std::optional<int> value) { return value ? Json(*value) : Json(nullptr); }
Json pair(std::optional<int> before, std::optional<int> after) { return Json::array({json(before), json(after)}); }

bool silent(const nvml::Reading& reading) {
  return !reading.sm_mhz && !reading.memory_mhz && !reading.temperature_c && !reading.throttle_reasons && !reading.energy_mj;
}

}  // namespace

GpuState::GpuState() : uuid_(device::uuid()), before_(nvml::read(uuid_)), start_(std::chrono::steady_clock::now()) {}

nlohmann::ordered_json GpuState::finish() const {
  const double window_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const nvml::Reading after = nvml::read(uuid_);
  if (silent(before_) && silent(after)) return nullptr;
  Json throttle, energy_j;
  if (after.throttle_reasons) throttle = nvml::throttle_words(*after.throttle_reasons);
  if (before_.energy_mj && after.energy_mj && window_s >= shortest_energy_window_s) energy_j = double(*after.energy_mj - *before_.energy_mj) * 1e-3;
  return {{"sm_mhz", pair(before_.sm_mhz, after.sm_mhz)},
          {"mem_mhz", pair(before_.memory_mhz, after.memory_mhz)},
          {"temperature_c", pair(before_.temperature_c, after.temperature_c)},
          {"throttle", throttle},
          {"energy_j", energy_j},
          {"window_s", window_s}};
}

}  // namespace km

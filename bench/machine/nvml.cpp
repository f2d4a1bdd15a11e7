#include "bench/machine/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/device/device.hpp"

namespace km::nvml {
namespace {

using Card = void*;  // nvmlDevice_t
constexpr int success = 0;
constexpr unsigned clock_sm = 1, clock_memory = 2, temperature_gpu = 0;

/// The library, loaded once and never closed.
class Library {
 public:
  static const Library& get() {
    static const Library library;
    return library;
  }

  /// Returns the result of function `name`, if it exists and succeeds. The function returns a code and writes its last argument.
  template <class Result, class... Args>
  std::optional<Result> call(const char* name, Args... args) const {
    const auto function = find<int (*)(Args..., Result*)>(name);
    Result result{};
    if (!function || function(args..., &result) != success) return std::nullopt;
    return result;
  }

  template <class Function>
  Function find(const char* name) const {
    return ready_ ? reinterpret_cast<Function>(dlsym(handle_, name)) : nullptr;
  }

 private:
  Library() : handle_(dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    if (!handle_) return;
    const auto init = reinterpret_cast<int (*)()>(dlsym(handle_, "nvmlInit_v2"));
    ready_ = init && init() == success;
  }

  void* handle_;
  bool ready_ = false;
};

std::optional<std::int64_t> energy_of(const Library& nvml, Card card) {
  return nvml.call<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", card);
}

}  // namespace

Reading read(const std::string& uuid) {
  Reading reading;
  const auto& nvml = Library::get();
  const auto card = nvml.call<Card>("nvmlDeviceGetHandleByUUID", uuid.c_str());
  if (!card) return reading;
  reading.sm_mhz = nvml.call<unsigned>("nvmlDeviceGetClockInfo", *card, clock_sm);
  reading.memory_mhz = nvml.call<unsigned>("nvmlDeviceGetClockInfo", *card, clock_memory);
  reading.max_sm_mhz = nvml.call<unsigned>("nvmlDeviceGetMaxClockInfo", *card, clock_sm);
  reading.max_memory_mhz = nvml.call<unsigned>("nvmlDeviceGetMaxClockInfo", *card, clock_memory);
  reading.power_mw = nvml.call<unsigned>("nvmlDeviceGetPowerUsage", *card);
  reading.power_limit_mw = nvml.call<unsigned>("nvmlDeviceGetEnforcedPowerLimit", *card);
  reading.temperature_c = nvml.call<unsigned>("nvmlDeviceGetTemperature", *card, temperature_gpu);
  reading.throttle_reasons = nvml.call<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", *card);
  reading.energy_mj = energy_of(nvml, *card);
  return reading;
}

std::optional<std::int64_t> energy_mj(const std::string& uuid) {
  const auto& nvml = Library::get();
  const auto card = nvml.call<Card>("nvmlDeviceGetHandleByUUID", uuid.c_str());
  return card ? energy_of(nvml, *card) : std::nullopt;
}

std::optional<std::string> driver_version() {
  const auto version = Library::get().find<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
  std::array<char, 96> text{};
  if (!version || version(text.data(), text.size()) != success) return std::nullopt;
  return text.data();
}

nlohmann::ordered_json json(std::optional<unsigned> value) { return value ? nlohmann::ordered_json(*value) : nullptr; }

}  // namespace km::nvml

namespace km {
namespace {

using Json = nlohmann::ordered_json;

constexpr double shortest_energy_window_s = 0.5;

Json pair(std::optional<unsigned> before, std::optional<unsigned> after) { return Json::array({nvml::json(before), nvml::json(after)}); }

/// Names throttle reasons: "idle", "power_cap", "hardware_slowdown", "thermal", ... Unknown bits are "bit 12".
std::vector<std::string> throttle_words(std::uint64_t reasons) {
  static constexpr std::array<const char*, 9> words = {"idle",    "application_clocks", "power_cap",   "hardware_slowdown", "sync_boost",
                                                       "thermal", "hardware_thermal",   "power_brake", "display_clocks"};
  std::vector<std::string> found;
  for (std::size_t bit = 0; bit < 64; ++bit)
    if (reasons >> bit & 1) found.push_back(bit < words.size() ? words[bit] : "bit " + std::to_string(bit));
  return found;
}

}  // namespace

GpuState::GpuState() : uuid_(device::uuid()), before_(nvml::read(uuid_)), start_(std::chrono::steady_clock::now()) {}

nlohmann::ordered_json GpuState::finish() const {
  const double window_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const nvml::Reading after = nvml::read(uuid_);
  if (before_ == nvml::Reading() && after == nvml::Reading()) return nullptr;
  Json throttle, energy_j;
  if (after.throttle_reasons) throttle = throttle_words(*after.throttle_reasons);
  if (before_.energy_mj && after.energy_mj && window_s >= shortest_energy_window_s) energy_j = double(*after.energy_mj - *before_.energy_mj) * 1e-3;
  return {{"sm_mhz", pair(before_.sm_mhz, after.sm_mhz)},
          {"mem_mhz", pair(before_.memory_mhz, after.memory_mhz)},
          {"temperature_c", pair(before_.temperature_c, after.temperature_c)},
          {"throttle", throttle},
          {"energy_j", energy_j},
          {"window_s", window_s}};
}

}  // namespace km

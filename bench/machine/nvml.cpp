#include "bench/machine/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <utility>

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
  const auto energy = nvml.call<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", card);
  return energy ? std::optional(static_cast<std::int64_t>(*energy)) : std::nullopt;
}

std::optional<int> number(std::optional<unsigned> value) { return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt; }

}  // namespace

Reading read(const std::string& uuid) {
  Reading reading;
  const auto& nvml = Library::get();
  const auto card = nvml.call<Card>("nvmlDeviceGetHandleByUUID", uuid.c_str());
  if (!card) return reading;
  reading.sm_mhz = number(nvml.call<unsigned>("nvmlDeviceGetClockInfo", *card, clock_sm));
  reading.memory_mhz = number(nvml.call<unsigned>("nvmlDeviceGetClockInfo", *card, clock_memory));
  reading.max_sm_mhz = number(nvml.call<unsigned>("nvmlDeviceGetMaxClockInfo", *card, clock_sm));
  reading.max_memory_mhz = number(nvml.call<unsigned>("nvmlDeviceGetMaxClockInfo", *card, clock_memory));
  reading.power_mw = number(nvml.call<unsigned>("nvmlDeviceGetPowerUsage", *card));
  reading.power_limit_mw = number(nvml.call<unsigned>("nvmlDeviceGetEnforcedPowerLimit", *card));
  reading.temperature_c = number(nvml.call<unsigned>("nvmlDeviceGetTemperature", *card, temperature_gpu));
  if (const auto reasons = nvml.call<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", *card)) reading.throttle_reasons = *reasons;
  reading.energy_mj = energy_of(nvml, *card);
  unsigned current = 0, pending = 0;
  const auto ecc = nvml.find<int (*)(Card, unsigned*, unsigned*)>("nvmlDeviceGetEccMode");
  if (ecc && ecc(*card, &current, &pending) == success) reading.ecc = current != 0;
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

std::vector<std::string> throttle_words(std::uint64_t reasons) {
  static constexpr std::array<const char*, 9> words = {"idle",    "application_clocks", "power_cap",   "hardware_slowdown", "sync_boost",
                                                       "thermal", "hardware_thermal",   "power_brake", "display_clocks"};
  std::vector<std::string> found;
  for (std::size_t bit = 0; bit < 64; ++bit)
    if (reasons >> bit & 1) found.push_back(bit < words.size() ? words[bit] : "bit " + std::to_string(bit));
  return found;
}

}  // namespace km::nvml

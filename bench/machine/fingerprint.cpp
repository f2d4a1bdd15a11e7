#include "bench/machine/fingerprint.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/device/device.hpp"
#include "bench/machine/cpu.hpp"
#include "bench/machine/memory.hpp"

namespace km {
namespace {

using Json = nlohmann::ordered_json;

constexpr double memory_apart = 0.05;

/// FNV-1a, the last `digits` hex digits.
std::string hash(const std::string& text, int digits) {
  std::uint64_t state = 0xcbf29ce484222325;
  for (const unsigned char byte : text) state = (state ^ byte) * 0x100000001b3;
  return fmt::format("{:0{}x}", (state ^ state >> 32) & ((std::uint64_t(1) << 4 * digits) - 1), digits);
}

std::string host_name() {
  std::string name(256, '\0');
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.c_str() : "";
}

std::string cache_sizes() {
  std::string text;
  for (int index = 0;; ++index) {
    const std::string size = first_line(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index));
    if (size.empty()) return text;
    text += (index > 0 ? " " : "") + size;
  }
}

}  // namespace

Json fingerprint() {
  return {{"model", cpuinfo("model name")},
          {"caches", cache_sizes()},
          {"memory", memory::total_bytes()},
          {"gpu", device::available() ? Json(device::name()) : Json()},
          {"host", hash(first_line("/etc/machine-id") + "/" + host_name(), 8)},
          {"boot", hash(first_line("/proc/sys/kernel/random/boot_id"), 8)}};
}

std::string short_fingerprint(const Json& fingerprint) {
  Json lasting = fingerprint;
  for (const char* part : {"memory", "boot"}) lasting.erase(part);
  return hash(lasting.dump(), 4);
}

std::vector<std::string> differences(const Json& recorded, const Json& now) {
  const auto part = [](const Json& of, const char* name) { return of.is_object() ? of.value(name, Json()) : Json(); };
  const auto differs = [&](const std::string& name) {
    const Json before = part(recorded, name.c_str()), after = part(now, name.c_str());
    if (name != "memory" || !before.is_number() || !after.is_number()) return before != after;
    return std::abs(before.get<double>() - after.get<double>()) > memory_apart * after.get<double>();
  };
  const bool one_start = !differs("host") && !differs("boot") && !part(now, "boot").is_null();
  std::vector<std::string> found;
  for (const char* name : {"model", "caches", "memory", "gpu", "host"})
    if (!(one_start && name == std::string_view("memory")) && differs(name)) found.emplace_back(name);
  return found;
}

}  // namespace km

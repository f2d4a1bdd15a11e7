// What the adapters of libraries on several GPUs share: the parameter `gpus`, and the GPUs that their process sees.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "bench/contract/implementation.hpp"
#include "bench/device/device.hpp"

namespace km {

inline Parameter gpus_parameter() {
  return {.name = "gpus", .fallback = 0, .range = {0, 1, 2, 4, 8}, .help = "GPUs that share the points; 0: all visible"};
}

inline std::int64_t gpus_of(const Config& config) { return config.integer("gpus") > 0 ? config.integer("gpus") : device::count(); }

/// Why these GPUs are too many here, or "".
inline std::string too_few_gpus(const Config& config) {
  const auto gpus = gpus_of(config);
  return gpus > device::count() ? fmt::format("gpus = {}, but {} can be seen", gpus, device::count()) : "";
}

/// CUDA_VISIBLE_DEVICES=… for so many of the GPUs that this process sees, from the selected one on.
inline std::string visible_gpus(const Config& config) {
  const char* const known = std::getenv("CUDA_VISIBLE_DEVICES");
  std::vector<std::string> names;
  for (std::istringstream words(known ? known : ""); words.good() && known;) std::getline(words, names.emplace_back(), ',');
  std::string text = "CUDA_VISIBLE_DEVICES=";
  for (std::int64_t at = 0; at < gpus_of(config); ++at) {
    const auto device = std::size_t((device::selected() + at) % device::count());
    text += (at ? "," : "") + (device < names.size() ? names[device] : std::to_string(device));
  }
  return text;
}

}  // namespace km

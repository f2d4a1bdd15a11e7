// flash-kmeans on several GPUs: its kmeans_largeN, for points that stay in the host's memory. Every iteration streams them to the GPUs, a share to
// each, and adds the sums on the first. It is flash-kmeans' only code for several GPUs. prepare copies the points into page-locked memory, as the
// library asks. A run is one call, labels' way back to the host included.
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "bench/device/device.hpp"
#include "impl/library/flash_kmeans.hpp"

namespace km {
namespace {

/// Of the GPUs that this process sees, so many from the selected one on, as CUDA_VISIBLE_DEVICES names them.
std::string visible(std::int64_t gpus) {
  const char* const known = std::getenv("CUDA_VISIBLE_DEVICES");
  std::vector<std::string> names;
  for (std::istringstream words(known ? known : ""); words.good() && known;) std::getline(words, names.emplace_back(), ',');
  std::string text;
  for (std::int64_t at = 0; at < gpus; ++at) {
    const auto device = std::size_t((device::selected() + at) % device::count());
    text += (at ? "," : "") + (device < names.size() ? names[device] : std::to_string(device));
  }
  return text;
}

std::int64_t gpus_of(const Config& config) { return config.integer("gpus") > 0 ? config.integer("gpus") : device::count(); }

template <class T>
struct FlashKmeansLarge : OutOfProcess<T> {
  FlashKmeansLarge(const Problem<T>& problem, const Config& config, Trace& trace)
      : OutOfProcess<T>(problem, config, trace,
                        python_command("flash_kmeans_worker.py", {"large"}, {"CUDA_VISIBLE_DEVICES=" + visible(gpus_of(config))}), "tf32") {}
};

const Register<FlashKmeansLarge, float> registration{{
    .summary = "flash-kmeans on several GPUs: points in the host's memory, streamed in every iteration",
    .device = Device::gpu,
    .parameters =
        {{.name = "gpus", .fallback = 0, .range = {0, 1, 2, 4, 8}, .help = "GPUs that share the points; 0: all visible"},
         {.name = "chunk", .fallback = 1 << 20, .range = {1 << 18, 1 << 20, 1 << 22}, .tunable = true, .help = "points that travel at once"}},
    .unsupported = [](const ProblemShape& p, const Config& config, int) -> std::string {
      if (gpus_of(config) > device::count()) return fmt::format("gpus = {}, but {} can be seen", gpus_of(config), device::count());
      return no_flash_kmeans(p);
    },
    .distance = Distance::expansion_tf32,
    .summation_depth = flash_kmeans_depth,
}};

}  // namespace
}  // namespace km

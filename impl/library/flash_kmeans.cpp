// flash-kmeans: Triton kernels that multiply fp32 points in TF32 and sort the labels for the update. The adapter calls the two steps in turn, as its
// own loop does, to control start and iterations; |x|² is computed in prepare. Labels may be wrong within TF32; wrong_share reports how many are.
#include <cstdlib>
#include <filesystem>

#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

template <class T>
struct FlashKmeans : OutOfProcess<T> {
  FlashKmeans(const Problem<T>& problem, const Config& config, Trace& trace)
      : OutOfProcess<T>(problem, config, trace, python_command("flash_kmeans_worker.py"), "tf32") {}
};

/// Returns why it cannot be found, or "".
std::string missing() {
  for (const char* module : {"torch", "triton"})
    if (!python_has(module)) return not_installed(std::string(module) + ", which flash-kmeans needs,");
  const char* const folder = std::getenv("KMBENCH_FLASH_KMEANS");
  if (!folder || !*folder)
    return python_has("flash_kmeans") ? "" : not_installed("flash-kmeans") + "; KMBENCH_FLASH_KMEANS may name the folder that holds flash_kmeans/";
  std::error_code unreadable;
  if (std::filesystem::exists(std::filesystem::path(folder) / "flash_kmeans" / "assign_euclid_triton.py", unreadable)) return "";
  return std::string("KMBENCH_FLASH_KMEANS = ") + folder + " holds no flash_kmeans/assign_euclid_triton.py";
}

const Register<FlashKmeans, float> registration{{
    .summary = "flash-kmeans' Triton kernels: products in TF32, update over sorted labels",
    .device = Device::gpu,
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.tolerance >= 0) return "flash-kmeans stops by how far centroids move, not by labels: leave the tolerance out";
      return missing();
    },
    .distance = Distance::expansion_tf32,
    .summation_depth = [](const ProblemShape& p, const Config&) { return p.n / 256 + 256; },  // blocks of 256 labels, then atomicAdd
}};

}  // namespace
}  // namespace km

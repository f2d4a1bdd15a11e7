// flash-kmeans on several GPUs: its kmeans_largeN, for points that stay in the host's memory. Every iteration streams them to the GPUs, a share to
// each, and adds the sums on the first. It is flash-kmeans' only code for several GPUs. prepare copies the points into page-locked memory, as the
// library asks. A run is one call, labels' way back to the host included.
#include "impl/library/flash_kmeans.hpp"
#include "impl/library/visible_gpus.hpp"

namespace km {
namespace {

Command command(const Config& config, bool) { return python_command("flash_kmeans_worker.py", {"large"}, {visible_gpus(config)}); }

const Register<Program<command, true>::Solver, float> registration{{
    .summary = "flash-kmeans on several GPUs: points in the host's memory, streamed in every iteration",
    .device = Device::gpu,
    .parameters =
        {gpus_parameter(),
         {.name = "chunk", .fallback = 1 << 20, .range = {1 << 18, 1 << 20, 1 << 22}, .tunable = true, .help = "points that travel at once"}},
    .unsupported = [](const ProblemShape& p, const Config& config, int) -> std::string {
      const std::string too_few = too_few_gpus(config);
      return too_few.empty() ? no_flash_kmeans(p) : too_few;
    },
    .distance = Distance::expansion_tf32,
    .summation_depth = flash_kmeans_depth,
}};

}  // namespace
}  // namespace km

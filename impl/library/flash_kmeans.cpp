// flash-kmeans: Triton kernels that multiply fp32 points in TF32 and sort the labels for the update. The adapter calls the two steps in turn, as its
// own loop does, to control start and iterations; |x|² is computed in prepare. Labels may be wrong within TF32; wrong_share reports how many are.
#include "impl/library/flash_kmeans.hpp"

namespace km {
namespace {

Command command(const Config&, bool) { return python_command("flash_kmeans_worker.py"); }

const Register<Program<command, true>::Solver, float> registration{{
    .summary = "flash-kmeans' Triton kernels: products in TF32, update over sorted labels",
    .device = Device::gpu,
    .unsupported = [](const ProblemShape& p, const Config&, int) { return no_flash_kmeans(p); },
    .distance = Distance::expansion_tf32,
    .summation_depth = flash_kmeans_depth,
}};

}  // namespace
}  // namespace km

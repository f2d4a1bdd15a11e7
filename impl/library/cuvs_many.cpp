// RAPIDS' cuVS on several GPUs of one process: cuvs.cluster.mg.kmeans.fit, for points in the host's memory, of which each GPU is sent its share in
// every fit. Like cuvs.cpp, it fits twice: all iterations but one, then that one. Labels are found untimed, by predict on each GPU for a share.
// Tested with a stand-in (tests/python/test_libraries.py).
#include "impl/library/cuvs.hpp"
#include "impl/library/visible_gpus.hpp"

namespace km {
namespace {

Command command(const Config& config, bool) { return python_command("cuvs_worker.py", {}, {visible_gpus(config)}); }

const Register<Program<command>::Solver> registration{{
    .summary = "RAPIDS cuVS's k-means on several GPUs: points in the host's memory, sent in each of its two fits",
    .device = Device::gpu,
    .parameters = {gpus_parameter()},
    .unsupported =
        [](const ProblemShape& p, const Config& config, int) {
          const std::string too_few = too_few_gpus(config);
          return too_few.empty() ? no_cuvs(p) : too_few;
        },
    .distance = Distance::expansion,
    .departs = cuvs_departs,
}};

}  // namespace
}  // namespace km

// RAPIDS' cuVS on several GPUs of one process: cuvs.cluster.mg.kmeans.fit, for points in the host's memory, of which each GPU is sent its share in
// every fit. Like cuvs.cpp, it fits twice: all iterations but one, then that one. Labels are found untimed, by predict on each GPU for a share.
// Tested with a stand-in (tests/python/test_libraries.py).
#include "bench/device/device.hpp"
#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

template <class T>
struct CuvsMany : OutOfProcess<T> {
  CuvsMany(const Problem<T>& problem, const Config& config, Trace& trace)
      : OutOfProcess<T>(problem, config, trace, python_command("cuvs_worker.py")) {}
};

const Register<CuvsMany> registration{{
    .summary = "RAPIDS cuVS's k-means on several GPUs: points in the host's memory, sent in each of its two fits",
    .device = Device::gpu,
    .parameters = {{.name = "gpus", .fallback = 2, .range = {1, 2, 4, 8}, .help = "GPUs that share the points, from the first visible one on"}},
    .unsupported = [](const ProblemShape& p, const Config& config, int) -> std::string {
      if (const int gpus = config.integer("gpus"), visible = device::count(); gpus > visible)
        return "gpus = " + std::to_string(gpus) + ", but " + std::to_string(visible) + " can be seen";
      if (p.tolerance >= 0) return "cuVS stops by how far centroids move, not by labels: leave the tolerance out";
      if (!python_has("cuvs")) return not_installed("cuvs");
      return python_has("cupy") ? "" : not_installed("cupy");
    },
    .distance = Distance::expansion,
    .departs = "once the centroids rest, it makes none of the other iterations",
}};

}  // namespace
}  // namespace km

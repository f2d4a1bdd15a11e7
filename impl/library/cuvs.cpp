// RAPIDS' cuVS: cuvs.cluster.kmeans.fit from our start (init_method "Array"), on the GPU. It returns neither labels nor the previous centroids, so
// fit(t - 1) and fit(1) make t iterations, both timed. In cuVS's favour, download finds the labels untimed, by its predict. Habits that cannot be
// disabled: each fit sets up its buffers and ends with an assign for the inertia. It stops when the centroids rest (tol must be above 0: 1e-30). The
// phase set_up is the cost of both fits beside their iterations, computed from their two times. Points are uploaded in prepare.
// Tested with stand-ins (tests/python/test_libraries.py); recorded on an H200 (ours/peers, he2021/table7_libraries).
#include "impl/library/cuvs.hpp"

namespace km {
namespace {

Command command(const Config&, bool) { return python_command("cuvs_worker.py"); }

const Register<Program<command>::Solver> registration{{
    .summary = "RAPIDS cuVS's k-means on the GPU, from a given start",
    .device = Device::gpu,
    .unsupported = [](const ProblemShape& p, const Config&, int) { return no_cuvs(p); },
    .distance = Distance::expansion,
    .departs = cuvs_departs,
}};

}  // namespace
}  // namespace km

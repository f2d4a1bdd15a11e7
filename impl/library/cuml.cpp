// RAPIDS' cuML: KMeans().fit() on the GPU as users call it (he2021's Table 7 measured v0.19). Habits that cannot be disabled: fit() ends with an
// assign, while the task ends with an update. It also computes the inertia. It stops when the centroids rest (tolerance must be above 0: 1e-30).
// Hence t iterations are fit(max_iter = t - 1) and one update by CuPy's scatter_add, both timed. Points are uploaded in prepare and labels fetched in
// download; with `transfers` inside, both are timed, as in he2021.
// Tested with stand-ins (tests/python/test_libraries.py); recorded on an H200 (he2021/table7_libraries).
#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config&, bool) { return python_command("cuml_worker.py"); }

const Register<Program<command>::Solver> registration{{
    .summary = "RAPIDS cuML's KMeans on the GPU, called as users do",
    .device = Device::gpu,
    .parameters =
        {{.name = "transfers", .fallback = "outside", .range = {"outside", "inside"}, .help = "of points and labels: outside the time, or inside"}},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.max_iters < 2) return "fit makes two assigns at least";
      if (p.tolerance != 0) return "cuML stops when the centroids rest: give a tolerance of 0";
      if (!python_has("cuml")) return not_installed("cuml");
      return python_has("cupy") ? "" : not_installed("cupy");
    },
    .distance = Distance::expansion,
    .departs = "it stops when the centroids rest, not the labels",
}};

}  // namespace
}  // namespace km

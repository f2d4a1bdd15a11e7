// Dask-ML's KMeans on the workers of a LocalCluster, or of the cluster at DASK_SCHEDULER_ADDRESS. The workers hold the points in as many chunks as
// threads. A chunk takes scikit-learn's nearest centroids and sums by Numba; an iteration is one task graph. A fit() ends with an assign, while the
// task ends with an update: t iterations are fit(max_iter = t - 1). Download finds labels and last means, untimed, in the library's favour.
#include <omp.h>

#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config& config, bool) { return python_command("dask_worker.py", {std::to_string(config.number("workers"))}); }

const Register<Program<command>::Solver> registration{{
    .summary = "Dask-ML's KMeans on a cluster of this machine, or yours",
    .parameters = {{.name = "workers",
                    .fallback = 1,
                    .range = {1, 2, 3, 16, 64},
                    .tunable = true,
                    .help = "processes, each with its part of the processors as threads; 1: threads of one process",
                    .effective = [](std::int64_t workers, const ProblemShape&,
                                    int) { return std::min<std::int64_t>(workers, omp_get_num_procs()); }}},
    .unsupported = [](const ProblemShape& p, const Config& config, int) -> std::string {
      if (p.max_iters < 2) return "fit makes two assigns at least";
      if (p.tolerance > 0) return "a tolerance above 0 is a movement of the centroids in Dask-ML, not a share of labels";
      for (const char* module : {"dask_ml", "distributed"})
        if (!python_has(module)) return not_installed(module);
      return crowded(config.number("workers"));
    },
    .distance = Distance::expansion,
    .departs = "an empty cluster moves to the origin",
}};

}  // namespace
}  // namespace km

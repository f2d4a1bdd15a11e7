// Heat's KMeans (Götz et al., "HeAT", IEEE Big Data 2020): PyTorch on ranks of MPI, which mpirun starts on this machine. An assign writes and reads n k
// distances; an update passes over all points for each cluster. An iteration is a fit(max_iter = 1): fit sets up nothing, and moves an empty cluster to
// the origin, which the worker takes back. It stops by how far centroids move; with a tolerance, the worker counts changed labels.
#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config& config, bool) { return ranks_command("heat_worker.py", config.number("processes")); }

const Register<Program<command>::Solver> registration{{
    .summary = "Heat's KMeans: PyTorch on ranks of MPI",
    .parameters = {processes_parameter()},
    .unsupported = [](const ProblemShape& p, const Config& config, int) -> std::string {
      return python_has("heat") ? unranked(p, config) : not_installed("Heat");
    },
    .distance = Distance::expansion,
}};

}  // namespace
}  // namespace km

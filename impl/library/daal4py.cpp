// oneDAL's distributed k-means, as daal4py.kmeans(distributed=True) on ranks of MPI; its MPI is MPICH's or Intel's (libmpi.so.12). It returns neither
// labels nor the centroids before its last update, so another call makes the last iteration. Download finds the labels, by the same library, and their
// means, untimed.
#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config& config, bool) { return ranks_command("daal4py_worker.py", config.number("processes")); }

const Register<Program<command>::Solver> registration{{
    .summary = "oneDAL's distributed k-means on ranks of MPI",
    .parameters = {processes_parameter()},
    .unsupported = [](const ProblemShape& p, const Config& config, int) -> std::string {
      if (p.max_iters < 2) return "two calls make two iterations at least";
      if (p.tolerance >= 0) return "daal4py stops by its objective, not by labels: leave the tolerance out";
      if (p.n / config.number("processes") < p.k) return "a rank has fewer points than clusters";
      if (!python_has("daal4py")) return not_installed("scikit-learn-intelex");
      if (const auto why = unranked(p, config); !why.empty()) return why;
      const bool linked = runs({python(), "-c", "import mpi4py.MPI, daal4py.mpi_transceiver"});
      return linked ? "" : "daal4py finds no MPICH (libmpi.so.12) beside mpi4py of " + python();
    },
    .distance = Distance::expansion,
    .departs = "an empty cluster moves to a far point",
}};

}  // namespace
}  // namespace km

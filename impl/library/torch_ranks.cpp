// library/torch on several ranks, each with its rows: torch.distributed adds the ranks' sums and counts by gloo, in one all_reduce an iteration.
#include <omp.h>

#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

template <class T>
struct TorchRanks : OutOfProcess<T> {
  TorchRanks(const Problem<T>& problem, const Config& config, Trace& trace)
      : OutOfProcess<T>(problem, config, trace, python_command("torch_worker.py", {"cpu", problem.group ? "gloo" : ""})) {}
};

const Register<TorchRanks> registration{{
    .summary = "library/torch on several ranks (kmbench run --launch): sums of all by torch.distributed, with gloo",
    .parameters = {{.name = "threads",
                    .fallback = 0,
                    .range = {0, 1, 3, 16, 256},
                    .tunable = true,
                    .help = "0: as many as PyTorch takes; of a rank, its part of the processors",
                    .effective = [](std::int64_t threads, const ProblemShape&, int) { return threads > omp_get_num_procs() ? 0 : threads; }}},
    .unsupported = [](const ProblemShape&, const Config&, int) { return python_has("torch") ? "" : not_installed("PyTorch"); },
    .distance = Distance::expansion,
    .shards = true,
}};

}  // namespace
}  // namespace km

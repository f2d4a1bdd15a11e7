// Our plain Lloyd's in PyTorch on the CPU: one matrix product per chunk of points, argmin, index_add_. An iteration writes and reads n k scores and
// adds n d values. Over ranks (kmbench run --launch) torch.distributed adds their sums and counts by gloo, in one all_reduce an iteration.
#include <omp.h>

#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config&, bool ranks) { return python_command("torch_worker.py", {"cpu", ranks ? "gloo" : ""}); }

const Register<Program<command>::Solver> registration{{
    .summary = "a plain Lloyd's in PyTorch: matrix product, argmin, index_add_; over ranks, torch.distributed",
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

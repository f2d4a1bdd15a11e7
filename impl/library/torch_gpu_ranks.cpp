// library/torch_gpu on several ranks, each with its rows and its GPU: torch.distributed adds the ranks' sums and counts by NCCL, in one all_reduce an
// iteration. index_add_ adds by atomics, which meet at few addresses where k is small: `copies` of the sums keep them apart.
#include "bench/device/device.hpp"
#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config&, bool ranks) {
  return python_command("torch_worker.py", {"cuda:" + std::to_string(device::selected()), ranks ? "nccl" : ""});
}

const Register<Program<command>::Solver> registration{{
    .summary = "library/torch_gpu on several ranks (kmbench run --launch), a GPU each: sums of all by torch.distributed, with NCCL",
    .device = Device::gpu,
    .parameters = {{.name = "copies",
                    .fallback = 1,
                    .range = {1, 16, 256, 4096},
                    .tunable = true,
                    .help = "of the sums on each GPU, between which points take turns"}},
    .unsupported = [](const ProblemShape&, const Config&, int) { return python_has("torch") ? "" : not_installed("PyTorch"); },
    .distance = Distance::expansion,
    .shards = true,
}};

}  // namespace
}  // namespace km

// library/torch on the GPU: points are uploaded in prepare, the start in reset; download fetches labels and centroids. Products in fp32, TF32 off.
#include "bench/device/device.hpp"
#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config&, bool) { return python_command("torch_worker.py", {"cuda:" + std::to_string(device::selected())}); }

const Register<Program<command>::Solver> registration{{
    .summary = "a plain Lloyd's in PyTorch on the GPU, without TF32",
    .device = Device::gpu,
    .unsupported = [](const ProblemShape&, const Config&, int) { return python_has("torch") ? "" : not_installed("PyTorch"); },
    .distance = Distance::expansion,
}};

}  // namespace
}  // namespace km

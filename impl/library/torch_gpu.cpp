// library/torch on the GPU: points are uploaded in prepare, the start in reset; download fetches labels and centroids. Products in fp32, TF32 off.
#include "impl/library/torch.hpp"

namespace km {
namespace {

template <class T>
class TorchGpu : public OutOfProcess<T> {
 public:
  TorchGpu(const Problem<T>& problem, const Config& config, Trace& trace)
      : OutOfProcess<T>(problem, config, trace, python_command("torch_worker.py", {"cuda"})) {}
};

const Register<TorchGpu> registration{{
    .summary = "a plain Lloyd's in PyTorch on the GPU, without TF32",
    .device = Device::gpu,
    .unsupported = without_torch,
    .distance = Distance::expansion,
}};

}  // namespace
}  // namespace km

// Our plain Lloyd's in PyTorch on the CPU, as a user writes it in ten lines: one matrix product per chunk of points, argmin, index_add_. An
// iteration writes and reads n k scores and adds n d values.
#include "impl/library/torch.hpp"

namespace km {
namespace {

template <class T>
class Torch : public OutOfProcess<T> {
 public:
  Torch(const Problem<T>& problem, const Config& config, Trace& trace)
      : OutOfProcess<T>(problem, config, trace, python_command("torch_worker.py", {"cpu"})) {}
};

const Register<Torch> registration{{
    .summary = "a plain Lloyd's in PyTorch: matrix product, argmin, index_add_",
    .parameters = {{.name = "threads", .fallback = 0, .range = {0, 1, 3, 16, 256}, .tunable = true, .help = "0: as many as PyTorch takes"}},
    .unsupported = without_torch,
    .distance = Distance::expansion,
}};

}  // namespace
}  // namespace km

// screened by mma.sync, for every card since compute capability 8.0. Idea: screened.cuh; products: screen_scores_mma.cuh; times: docs/kernels.md.
// Limit: screened is faster where wgmma exists; below 16 dimensions as there.
#include "impl/cost_terms.hpp"
#include "impl/gpu/lloyd/screen_scores_mma.cuh"
#include "impl/gpu/lloyd/screened.cuh"

namespace km {
namespace {

template <class T>
struct OnMma : screen::Screened<T, screen::Mma> {
  using screen::Screened<T, screen::Mma>::Screened;
};

const Register<OnMma> registration{{
    .summary = "screened with the matrix instruction of compute capability 8.0 and later",
    .device = Device::gpu,
    .parameters = screen::parameters(),
    .unsupported = [](const ProblemShape& p, const Config&, int value_bytes) -> std::string {
      if (cuda::attribute_or(cudaDevAttrComputeCapabilityMajor, 8) < 8) return "needs compute capability 8.0 (mma.sync of fp16)";
      const int most_bytes = cuda::attribute_or(cudaDevAttrMaxSharedMemoryPerBlockOptin, std::numeric_limits<int>::max());
      if (screen::together * p.d * value_bytes > most_bytes - 4096) return "eight points exceed shared memory";
      return screen::too_large(p);
    },
    .fixed_point = true,
    .cost = cost::products,
}};

}  // namespace
}  // namespace km

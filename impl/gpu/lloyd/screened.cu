// Lloyd's with fp64's labels from Hopper's fp16 products (wgmma). Idea: screened.cuh; products: screen_scores.cuh; times: docs/kernels.md.
// Limit: compute capability 9.0 only (else screened_mma); below 16 dimensions products are mostly padding and more points stay open.
#include "impl/cost_terms.hpp"
#include "impl/gpu/lloyd/screen_scores.cuh"
#include "impl/gpu/lloyd/screened.cuh"

namespace km {
namespace {

template <class T>
struct OnWgmma : screen::Screened<T, screen::Wgmma> {
  using screen::Screened<T, screen::Wgmma>::Screened;
};

const Register<OnWgmma> registration{{
    .summary = "fp16 tensor-core scores decide what a proven margin lets them; the rest is settled exactly",
    .device = Device::gpu,
    .parameters = screen::parameters(),
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (cuda::attribute_or(cudaDevAttrComputeCapabilityMajor, 9) != 9) return "needs compute capability 9.0 (wgmma)";
      return screen::too_large(p);
    },
    .fixed_point = true,
    .cost = cost::products,
}};

}  // namespace
}  // namespace km

// Lloyd's with fp64's labels from Hopper's fp16 products (wgmma). Idea: screened.cuh; products: screen_scores.cuh; times: docs/kernels.md.
// Limit: compute capability 9.0 only (else screened_mma); below 16 dimensions products are mostly padding and more points stay open.
#include "impl/gpu/lloyd/screen_scores.cuh"
#include "impl/gpu/lloyd/screened.cuh"

namespace km {

const screen::Unit screen::wgmma = {wgmma_kernel<1, Task::decide>, wgmma_kernel<1, Task::collect>, wgmma_kernel<3, Task::decide>,
                                    wgmma_kernel<3, Task::collect>};

namespace {

template <class T>
struct OnWgmma : screen::Screened<T> {
  OnWgmma(const Problem<T>& problem, const Config& config, Trace& trace) : screen::Screened<T>(problem, config, trace, screen::wgmma) {}
};

const Register<OnWgmma> registration{screen::description(
    "fp16 tensor-core scores decide what a proven margin lets them; the rest is settled exactly", [](int major) { return major == 9; },
    "needs compute capability 9.0 (wgmma)")};

}  // namespace
}  // namespace km

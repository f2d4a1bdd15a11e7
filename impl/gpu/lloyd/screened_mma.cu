// screened by mma.sync, for every card since compute capability 8.0. Idea: screened.cuh; products: screen_scores_mma.cuh; times: docs/kernels.md.
// Limit: screened is faster where wgmma exists; below 16 dimensions as there.
#include "impl/gpu/lloyd/screen_scores_mma.cuh"
#include "impl/gpu/lloyd/screened.cuh"

namespace km {

const screen::Unit screen::mma = {mma_kernel<1, Task::decide>, mma_kernel<1, Task::collect>, mma_kernel<3, Task::decide>,
                                  mma_kernel<3, Task::collect>};

namespace {

template <class T>
struct OnMma : screen::Screened<T> {
  OnMma(const Problem<T>& problem, const Config& config, Trace& trace) : screen::Screened<T>(problem, config, trace, screen::mma) {}
};

const Register<OnMma> registration{screen::description(
    "screened with the matrix instruction of compute capability 8.0 and later", [](int major) { return major >= 8; },
    "needs compute capability 8.0 (mma.sync of fp16)")};

}  // namespace
}  // namespace km

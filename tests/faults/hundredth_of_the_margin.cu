// Screens with a hundredth of the proven margin: what fp16 products rank is taken for right where they cannot tell.
#include "impl/gpu/lloyd/screen_scores_mma.cuh"
#include "impl/gpu/lloyd/screened.cuh"

namespace km {
namespace {

template <class T>
struct HundredthOfTheMargin : screen::Screened<T, screen::Mma> {
  HundredthOfTheMargin(const Problem<T>& problem, const Config& config, Trace& trace)
      : screen::Screened<T, screen::Mma>(problem, config, trace, 0.01f) {}
};

const Register<HundredthOfTheMargin> hundredth_of_the_margin{{
    .summary = "decides labels by a hundredth of the proven margin",
    .device = Device::gpu,
    .parameters = screen::parameters(),
    .unsupported = [](const ProblemShape& p, const Config&, int) { return screen::too_large(p); },
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1; },
}};

}  // namespace
}  // namespace km

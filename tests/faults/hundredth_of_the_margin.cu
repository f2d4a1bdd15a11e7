// Screens with a hundredth of the proven margin: what fp16 products rank is taken for right where they cannot tell.
#include "impl/gpu/lloyd/screen_scores_mma.cuh"
#include "impl/gpu/lloyd/screened.cuh"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct HundredthOfTheMargin : screen::Screened<T, screen::Mma> {
  HundredthOfTheMargin(const Problem<T>& problem, const Config& config, Trace& trace)
      : screen::Screened<T, screen::Mma>(problem, config, trace, 0.01f) {}
};

const Register<HundredthOfTheMargin> hundredth_of_the_margin{
    fault_on_gpu("decides labels by a hundredth of the proven margin", screen::too_large, screen::parameters())};

}  // namespace
}  // namespace km

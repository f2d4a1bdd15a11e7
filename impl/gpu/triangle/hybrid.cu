// wu2011's hybrid (Figure 4, Section IV): the reinforced kernel where it pays, else the standard one. First it decides by shape: beyond k log k = c
// n d / b ranking the centroids costs more than all distances. Then, with a steady mean M, it decides by the savings of epoch 1. Above Equation 9's
// share M / k = c / a - b k log k / (a d n) the standard kernel continues. Below it the points are sorted by decreasing M. The constants a, b and c
// are measured once per machine (calibration.cuh). A run too short for M to settle would stay in epoch 1, where warps wait for their slowest point,
// so it uses the standard kernel. The paper does not do so (published.cu): its Figures 6(d) and 7 have such runs.
// Cost: the better of the two kernels, and epoch 1; once per machine the calibration in prepare.
#include "impl/gpu/triangle/calibration.cuh"

namespace km {
namespace {

constexpr int until_steady = 5;  // iterations: M settled after 4.6 on average (Section III)

template <class T>
struct Hybrid : triangle::Calibrated<T> {
  Hybrid(const Problem<T>& problem, const Config& config, Trace& trace)
      : triangle::Calibrated<T>(problem, trace, triangle::launch_of(config), true, true, [&](const triangle::Constants& constants) {
          return problem.max_iters > until_steady ? triangle::hybrid_plan(problem, constants) : triangle::Plan{};
        }) {}
};

const Register<Hybrid> registration{
    triangle::ranked_description("standard or reinforced, by k log k and by what the first iterations skip, with constants measured on this machine",
                                 triangle::launch_parameters())};

}  // namespace
}  // namespace km

// wu2011's hybrid (Figure 4, Section IV): the reinforced kernel where it pays, else the standard one. First it decides by shape: beyond k log k = c
// n d / b ranking the centroids costs more than all distances. Then, with a steady mean M, it decides by the savings of epoch 1. Above Equation 9's
// share M / k = c / a - b k log k / (a d n) the standard kernel continues. Below it the points are sorted by decreasing M. The constants a, b and c
// are measured once per machine (calibration.cuh). A run too short for M to settle would stay in epoch 1, where warps wait for their slowest point,
// so it uses the standard kernel. The paper does not do so (published.cu): its Figures 6(d) and 7 have such runs.
// Cost: the better of the two kernels, and epoch 1; once per machine the calibration in prepare.
#include "impl/gpu/triangle/calibration.cuh"

namespace km {
namespace {

using triangle::Constants;

constexpr int until_steady = 5;  // iterations: M settled after 4.6 on average (Section III)

template <class T>
class Hybrid {
 public:
  Hybrid(const Problem<T>& problem, const Config& config, Trace& trace)
      : constants_(triangle::constants<T>(triangle::launch_of(config))),
        run_(problem, trace, triangle::launch_of(config),
             problem.max_iters > until_steady ? triangle::hybrid_plan(problem, constants_) : triangle::Plan{},
             triangle::kernels<T, true, true>(problem.d, problem.k), triangle::Cutoff<T>(problem.d)) {}

  void reset() { run_.reset(); }
  int iterate(Trace& trace) {
    const int iters = run_.iterate(trace);
    triangle::count(trace, constants_, iters);
    return iters;
  }
  Solution<T> download() { return run_.download(); }

 private:
  Constants constants_;
  triangle::HostDriven<T> run_;
};

const Register<Hybrid> registration{{
    .summary = "standard or reinforced, by k log k and by what the first iterations skip, with constants measured on this machine",
    .paper = "wu2011",
    .device = Device::gpu,
    .parameters = triangle::launch_parameters(),
    .unsupported = [](const ProblemShape& p, const Config&, int) { return triangle::too_large(p); },
    .work = triangle::least_work,
}};

}  // namespace
}  // namespace km

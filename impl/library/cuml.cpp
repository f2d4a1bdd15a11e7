// RAPIDS' cuML: KMeans().fit() on the GPU as its users call it (he2021's Table 7 measured v0.19). What cannot be switched off: fit() ends with
// an assign where the task ends with an update, so t iterations are fit(max_iter = t - 1) and one update by CuPy's scatter_add, both timed; it
// sums up the inertia as well; it stops when the centroids rest (it wants a tolerance above 0, and gets 1e-30). A cluster without points stays.
// Points go to the GPU in prepare and labels come back in download; with `transfers` inside, both are timed, as he2021 timed them. The warm-up
// run takes what the first call compiles and allocates. Whether its products hold the bound of fp32 is for the judge to say.
// Written against the documented interfaces and run against stand-ins alone (tests/python/test_libraries.py), never yet on a GPU.
#include "impl/library/out_of_process.hpp"
#include "impl/library/python.hpp"

namespace km {
namespace {

template <class T>
class Cuml : public OutOfProcess<T> {
 public:
  Cuml(const Problem<T>& problem, const Config& config, Trace& trace) : OutOfProcess<T>(problem, config, trace, python_command("cuml_worker.py")) {}
};

const Register<Cuml> registration{{
    .summary = "RAPIDS cuML's KMeans on the GPU, called as users do",
    .device = Device::gpu,
    .parameters =
        {{.name = "transfers", .fallback = "outside", .range = {"outside", "inside"}, .help = "of points and labels: outside the time, or inside"}},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.max_iters < 2) return "fit makes two assigns at least";
      if (p.tolerance != 0) return "cuML stops when the centroids rest: give a tolerance of 0";
      for (const char* module : {"cuml", "cupy"})
        if (!python_has(module)) return std::string(module) + " is not installed for " + python();
      return "";
    },
    .distance = Distance::expansion,
    .departs = "it stops when the centroids rest, not the labels",
}};

}  // namespace
}  // namespace km

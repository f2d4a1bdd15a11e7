// cpu/triangle/reinforced itself, but its loop ends a fortieth before the proven cut-off.
#include "impl/cpu/triangle/reinforced.hpp"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct CutTooEarly : Reinforced<T> {
  CutTooEarly(const Problem<T>& problem, const Config& config, Trace& trace) : Reinforced<T>(problem, config, trace, 0.95) {}
};

const Register<CutTooEarly> cut_too_early{{.summary = "ends the triangle inequality's loop at 1.95 distances"}};

}  // namespace
}  // namespace km

// Right, and tells in its trace how often it ran before.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct CountsRuns : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
    trace.count("runs_before", runs_++);
    return iters;
  }

 private:
  int runs_ = 0;
};

const Register<CountsRuns> counts_runs{fault("counts its runs")};

}  // namespace
}  // namespace km

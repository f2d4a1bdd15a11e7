// Two runs of three are right.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LiesInEveryThirdRun : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) { return ++runs_ % 3 == 0 ? this->lie(trace) : RightLloyd<T>::iterate(trace); }

 private:
  int runs_ = 0;
};

const Register<LiesInEveryThirdRun> lies_in_every_third_run{fault("lies in every third run")};

}  // namespace
}  // namespace km

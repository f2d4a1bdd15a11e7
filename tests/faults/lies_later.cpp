// Right in the warm-up and in the first timed run.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LiesLater : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) { return ++runs_ > 2 ? this->lie(trace) : RightLloyd<T>::iterate(trace); }

 private:
  int runs_ = 0;
};

const Register<LiesLater> lies_later{fault("lies from its third run on")};

}  // namespace
}  // namespace km

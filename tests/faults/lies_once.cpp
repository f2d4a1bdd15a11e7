// Every timed run but the first is right.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LiesOnce : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) { return ++runs_ == 2 ? this->lie(trace) : RightLloyd<T>::iterate(trace); }

 private:
  int runs_ = 0;
};

const Register<LiesOnce> lies_once{fault("lies in its second run")};

}  // namespace
}  // namespace km

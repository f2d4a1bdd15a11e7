// One iteration, and the number asked for as its count: every output agrees with every other.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OneIterationToldAsAll : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  int iterate(Trace& trace) { return this->lie(trace); }
};

const Register<OneIterationToldAsAll> one_iteration_told_as_all{fault("makes one iteration and says all")};

}  // namespace
}  // namespace km

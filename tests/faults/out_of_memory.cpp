// More memory than there is, as the C++ library says it.
#include <new>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class OutOfMemory : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) { throw std::bad_alloc(); }
};

const Register<OutOfMemory> registration{{
    .summary = "runs out of memory",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

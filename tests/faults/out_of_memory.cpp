// More memory than there is, as the C++ library says it.
#include <new>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OutOfMemory : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  int iterate(Trace&) { throw std::bad_alloc(); }
};

const Register<OutOfMemory> out_of_memory{fault("runs out of memory")};

}  // namespace
}  // namespace km

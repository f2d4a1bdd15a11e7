// Not even an exception of the standard library's.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ThrowsANumber : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  int iterate(Trace&) { throw 7; }
};

const Register<ThrowsANumber> throws_a_number{fault("throws 7")};

}  // namespace
}  // namespace km

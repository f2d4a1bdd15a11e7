// Sorts the data where they lie.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct SortsPoints : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    auto* values = const_cast<T*>(this->p_.points.data());
    std::sort(values, values + this->p_.points.size());
    return RightLloyd<T>::iterate(trace);
  }
};

const Register<SortsPoints> sorts_points{fault("sorts the points in place")};

}  // namespace
}  // namespace km

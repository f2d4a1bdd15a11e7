// |x|² - 2xc + |c|², which cancels, and sums of (x - c)², which do not, declared.
#include "tests/faults/expansion.hpp"

namespace km {
namespace {

template <class T>
struct ExpansionUndeclared : ExpandingLloyd<T> {
  using ExpandingLloyd<T>::ExpandingLloyd;
};

const Register<ExpansionUndeclared> expansion_undeclared{fault("expands distances and declares that it does not")};

}  // namespace
}  // namespace km

// |x|² - 2xc + |c|², as declared: far from the origin rounding explains any label, and the labels are of little use.
#include "tests/faults/expansion.hpp"

namespace km {
namespace {

template <class T>
struct ExpansionFar : ExpandingLloyd<T> {
  using ExpandingLloyd<T>::ExpandingLloyd;
};

const Register<ExpansionFar> expansion_far{{
    .summary = "expands distances far from the origin",
    .distance = Distance::expansion,
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

// A run-time d as a compile-time constant, so that loops over dimensions unroll; the general case is always there.
#pragma once

#include <type_traits>

namespace km {

/// Call f with std::integral_constant<int, d> when d is one of Ds, else with 0, which means: read d at run time.
template <int... Ds, class F>
void with_dimension(int d, F&& f) {
  const bool found = ((d == Ds && (f(std::integral_constant<int, Ds>{}), true)) || ...);
  if (!found) f(std::integral_constant<int, 0>{});
}

}  // namespace km

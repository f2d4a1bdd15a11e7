// Turns a run-time d into a compile-time constant, so that loops over dimensions unroll. A general case always exists.
#pragma once

#include <algorithm>
#include <type_traits>

namespace km {

/// Calls f with std::integral_constant<int, d> if d is one of Ds, else with 0: read d at run time.
template <int First, int... Ds, class F>
void with_dimension(int d, F&& f) {
  bool found = d == First && (f(std::integral_constant<int, First>{}), true);
#ifndef KM_FEW_KERNELS
  found = found || ((d == Ds && (f(std::integral_constant<int, Ds>{}), true)) || ...);
#endif
  if (!found) f(std::integral_constant<int, 0>{});
}

/// Calls f with the least of Ds, ascending, that is at least d: what has so many dimensions is padded to it.
template <int... Ds, class F>
void with_width(int d, F&& f) {
#ifdef KM_FEW_KERNELS
  f(std::integral_constant<int, std::max({Ds...})>{});
#else
  static_cast<void>(((d <= Ds && (f(std::integral_constant<int, Ds>{}), true)) || ...));
#endif
}

}  // namespace km

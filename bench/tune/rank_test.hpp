// Is one series of times really below another?
#pragma once

#include <span>

namespace km {

/// The rank test of Mann and Whitney (1947), exact and one-sided: how likely the values of `a` are this low among those of `b`, or lower, where
/// both come from one distribution. Ties count half, rounded against `a`. At most 64 values each: its table grows with the fourth power.
double chance_of_ranks(std::span<const double> a, std::span<const double> b);

}  // namespace km

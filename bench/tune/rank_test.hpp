// Mann-Whitney rank test.
#pragma once

#include <span>

namespace km {

/// Returns the exact one-sided p value of Mann and Whitney (1947): the probability that `a` ranks this low, or lower, among `b` if both have one
/// distribution. Ties count half, rounded against `a`. At most 64 values each: the table grows with the fourth power.
double chance_of_ranks(std::span<const double> a, std::span<const double> b);

}  // namespace km

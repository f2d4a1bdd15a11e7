// Which of two settings or implementations is faster: exact tests of their times.
#pragma once

#include <cstddef>
#include <span>

namespace km {

/// The time after over the time before: estimate, 95% interval and two-sided p value.
struct Change {
  double ratio = 1, low = 1, high = 1, p = 1;
  std::size_t rounds = 0;
};

/// Least runs of the same rounds, all above 0, at least one round.
Change change_of(std::span<const double> before, std::span<const double> after);

/// True if the interval lies wholly beyond 5% faster and p, corrected for the number of tests (Bonferroni), is at most 5%.
bool surely_faster(const Change& change, std::size_t tests);

/// The fewest rounds that can show anything among so many tests.
std::size_t fewest_rounds(std::size_t tests);

/// Returns the exact one-sided p value of Mann and Whitney (1947): the probability under one distribution that `a` ranks this low, or lower, among
/// `b`. Ties count half, rounded against `a`. At most 64 values each: the table grows with the fourth power.
double chance_of_ranks(std::span<const double> a, std::span<const double> b);

}  // namespace km

// Adjusted Rand index and normalized mutual information against their definitions.
#include "bench/run/truth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace km {
namespace {

TEST(Agreement, IsOneForEqualGroupsOfOtherNames) {
  const auto [ari, nmi] = agreement_of(Labels{0, 0, 1, 1, 2}, Labels{5, 5, 0, 0, 1});
  EXPECT_NEAR(ari, 1, 1e-15);
  EXPECT_NEAR(nmi, 1, 1e-15);
}

TEST(Agreement, IsThatOfTheDefinitions) {
  const auto [ari, nmi] = agreement_of(Labels{0, 0, 0, 1, 1, 1}, Labels{0, 0, 1, 1, 2, 2});
  EXPECT_NEAR(ari, (2 - 6.0 * 3 / 15) / ((6 + 3) / 2.0 - 6.0 * 3 / 15), 1e-12);  // pairs together: 2 in both, 6 and 3 of 15
  const double in_both = 2 / 3.0 * std::log(2.0), of_a = std::log(2.0), of_b = std::log(3.0);
  EXPECT_NEAR(nmi, in_both / ((of_a + of_b) / 2), 1e-12);
}

TEST(Agreement, IsNoneForGroupsThatCrossEvenly) {
  Labels a, b;
  for (int i = 0; i < 10'000; ++i) a.push_back(i % 10), b.push_back(i / 10 % 10);
  EXPECT_NEAR(agreement_of(a, b).ari, 0, 0.002);
  EXPECT_NEAR(agreement_of(a, b).nmi, 0, 1e-12);
}

}  // namespace
}  // namespace km

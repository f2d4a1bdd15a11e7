// Which of two centroids is nearer, where fp64 cannot tell.
#include "bench/base/exact.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace km {
namespace {

TEST(Exact, PlainDistancesAndTies) {
  const double x[] = {0, 0}, near[] = {1, 0}, far[] = {0, 2}, mirrored[] = {-1, 0};
  EXPECT_EQ(compare_distances(x, near, far, 2), -1);
  EXPECT_EQ(compare_distances(x, far, near, 2), 1);
  EXPECT_EQ(compare_distances(x, near, mirrored, 2), 0);
  EXPECT_EQ(compare_distances(x, near, near, 2), 0);
}

TEST(Exact, SeesOneUlpWhereFp64RoundsItAway) {
  // Squares near 1e16: the differences of two distances² are far below their last digit.
  const double x[] = {0, 0}, a[] = {1e8, 0.5}, b[] = {1e8, std::nextafter(0.5, 1.0)};
  const double to_a = 1e16 + 0.25, to_b = 1e16 + b[1] * b[1];
  ASSERT_EQ(to_a, to_b) << "fp64 takes it for a tie";
  EXPECT_EQ(compare_distances(x, a, b, 2), -1);
  EXPECT_EQ(compare_distances(x, b, a, 2), 1);
}

TEST(Exact, FarFromTheOriginAndAtTheEndsOfTheRange) {
  const float x[] = {16777216.f}, a[] = {16777214.f}, b[] = {16777218.f}, c[] = {16777220.f};
  EXPECT_EQ(compare_distances(x, a, b, 1), 0);
  EXPECT_EQ(compare_distances(x, a, c, 1), -1);
  const double huge[] = {1e300}, at[] = {0.9e300}, further[] = {0.8e300};
  EXPECT_EQ(compare_distances(huge, at, further, 1), -1) << "their squares are infinite";
  const double tiny[] = {1e-300}, near[] = {1.1e-300}, other[] = {1.3e-300};
  EXPECT_EQ(compare_distances(tiny, near, other, 1), -1) << "their squares are 0";
}

TEST(Exact, KnowsWhereArithmeticHasNoRounding) {
  const float x[] = {3, 4}, a[] = {0, 1}, b[] = {7, 250}, third[] = {1.0f / 3, 0}, large[] = {5000, 0};
  EXPECT_TRUE(distances_are_exact(x, a, b, 2)) << "small whole numbers";
  EXPECT_FALSE(distances_are_exact(x, a, third, 2));
  EXPECT_FALSE(distances_are_exact(x, a, large, 2)) << "a square of 25 bits does not fit fp32";
  const double wide[] = {3, 4}, same[] = {5000, 0};
  EXPECT_TRUE(distances_are_exact(wide, wide, same, 2)) << "but fp64";
}

}  // namespace
}  // namespace km

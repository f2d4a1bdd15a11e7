// The proof of impl/gpu/triangle/cutoff.hpp on points about half way between two centroids, near to the origin and far from it. A centroid beyond
// the cut-off must lose in the kernels' arithmetic; without the widening some would not.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "impl/gpu/triangle/cutoff.hpp"

namespace km {
namespace {

template <class T>
T distance(const std::vector<T>& a, const std::vector<T>& b) {
  T dist = 0;
  for (std::size_t j = 0; j < a.size(); ++j) dist = std::fma(a[j] - b[j], a[j] - b[j], dist);
  return dist;
}

/// Of many points near the middle of a and c, how many are cut off and yet not further from c than from a.
template <class T>
int wrongly_cut(int d, double offset, triangle::Cutoff<T> cutoff) {
  std::mt19937 random(d);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<T> a(d), c(d), x(d);
  int wrong = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const double near = 0.5 * (1 - value(random) * 4 * std::numeric_limits<T>::epsilon());
    for (int j = 0; j < d; ++j) {
      a[j] = T(offset + value(random)), c[j] = T(offset + value(random));
      x[j] = T(double(a[j]) + near * (double(c[j]) - double(a[j])));
    }
    const T own = distance(x, a);
    wrong += distance(a, c) > cutoff(own) && !(distance(x, c) > own);
  }
  return wrong;
}

template <class T>
class TriangleCutoff : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TriangleCutoff, Precisions);

TYPED_TEST(TriangleCutoff, CutsNothingThatWouldNotLose) {
  for (const int d : {1, 2, 3, 7, 32, 100})
    for (const double offset : {0.0, 1.0, 1000.0})
      EXPECT_EQ(wrongly_cut(d, offset, triangle::Cutoff<TypeParam>(d)), 0) << d << " dimensions round " << offset;
}

TYPED_TEST(TriangleCutoff, NeedsItsWidening) {
  for (const int d : {2, 7, 32}) EXPECT_GT(wrongly_cut(d, 0, triangle::Cutoff<TypeParam>(4, 0)), 0) << d << " dimensions";
}

TYPED_TEST(TriangleCutoff, LeavesWhatUnderflowsUndecided) {
  const TypeParam tiny = std::numeric_limits<TypeParam>::denorm_min();
  EXPECT_FALSE(TypeParam(64 * tiny) > triangle::Cutoff<TypeParam>(3)(0));
}

TYPED_TEST(TriangleCutoff, IsTight) {
  for (const int d : {1, 32, 1000}) EXPECT_LT(triangle::Cutoff<TypeParam>(d)(1), 4.01);
}

}  // namespace
}  // namespace km

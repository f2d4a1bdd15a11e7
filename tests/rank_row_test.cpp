// RowRanking ranks like a stable sort, with ties, zeros, values that underflow and infinities among the distances².
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "impl/rank_row.hpp"

namespace km {
namespace {

template <class T>
class RankRow : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RankRow, Precisions);

TYPED_TEST(RankRow, ItselfFirstThenAsAStableSort) {
  using T = TypeParam;
  const T special[] = {0, std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(),
                       1, std::numeric_limits<T>::max(),        std::numeric_limits<T>::infinity()};
  std::mt19937_64 random(3);
  RowRanking<T> rank;
  for (const int k : {1, 2, 3, 63, 64, 65, 300, 5000})
    for (const int own : {0, k / 2, k - 1}) {
      std::vector<T> apart(k);
      for (T& dist : apart) {
        const auto kind = random() % 3;
        dist = kind == 0 ? special[random() % std::size(special)] : kind == 1 ? T(random() % 7) : T(random()) / T(random() | 1);
      }
      std::vector<int> ranked(k, -1), expected(k);
      rank(apart.data(), own, k, ranked.data());
      std::iota(expected.begin(), expected.end(), 0);
      apart[own] = T(-1);
      std::ranges::stable_sort(expected, {}, [&](int c) { return apart[c]; });
      EXPECT_EQ(ranked, expected) << "k = " << k << ", own = " << own;
    }
}

}  // namespace
}  // namespace km

// cpu/triangle/reinforced: its cut-off changes no label, needs its widening, and counts its distances. RowRanking ranks like a stable sort.
#include <cmath>
#include <limits>
#include <numeric>

#include "impl/cpu/triangle/reinforced.hpp"
#include "impl/rank_row.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

constexpr double never = 1e30;  // times the cut-off: the loop over all centroids, by the same arithmetic

template <class T>
struct Trial {
  std::vector<T> points, start;
  Problem<T> problem;

  Trial(std::vector<T> x, std::vector<T> c, int d, int max_iters) : points(std::move(x)), start(std::move(c)) {
    problem = Problem<T>{{.n = std::int64_t(points.size()) / d, .d = d, .k = int(start.size()) / d, .max_iters = max_iters}, points, start};
  }

  Solution<T> solve(double cut) const {
    Trace trace;
    return solved(Reinforced<T>(problem, Config(), trace, cut), trace);
  }

  std::int64_t wrong(double cut) const {
    const auto all = solve(never).labels, some = solve(cut).labels;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) count += all[i] != some[i];
    return count;
  }
};

/// Centroids in a cube, and between the first, where every point begins, and each other the middle, a last digit to and fro.
template <class T>
Trial<T> middles(int d, double offset) {
  constexpr int k = 200, nudges = 40;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(0, 1);
  std::vector<T> centroids(std::size_t(k) * d), points;
  for (T& x : centroids) x = T(offset + value(random));
  for (int c = 1; c < k; ++c)
    for (int nudge = 0; nudge < nudges; ++nudge)
      for (int j = 0; j < d; ++j) {
        const T middle = T((double(centroids[j]) + double(centroids[std::size_t(c) * d + j])) / 2);
        points.push_back(random() % 3 ? middle : std::nextafter(middle, random() % 2 ? T(1e9) : T(-1e9)));
      }
  return {std::move(points), std::move(centroids), d, 1};
}

template <class T>
Trial<T> spread(int d, int max_iters, double (*make)(std::mt19937&)) {
  constexpr int n = 1000, k = 40;
  std::mt19937 random(11);
  std::vector<T> points(std::size_t(n) * d);
  for (T& x : points) x = T(make(random));
  return {points, std::vector<T>(points.begin(), points.begin() + k * d), d, max_iters};
}

template <class T>
class ReinforcedOnTheCpu : public ::testing::Test {};
TYPED_TEST_SUITE(ReinforcedOnTheCpu, Precisions);

TYPED_TEST(ReinforcedOnTheCpu, NeedsItsWidenedCutOff) {
  std::int64_t unwidened = 0;
  for (const int d : {1, 2, 5, 16, 33, 100}) {
    const auto points = middles<TypeParam>(d, 0);
    unwidened += points.wrong(1 / (1 + 4 * (d + 4) * (double(std::numeric_limits<TypeParam>::epsilon()) / 2)));
    EXPECT_EQ(points.wrong(1), 0) << "d = " << d;
  }
  EXPECT_GT(unwidened, 0) << "D > 2 r as computed is not enough on these points";
}

TYPED_TEST(ReinforcedOnTheCpu, GivesThePlainLoopsBitsFarFromTheOriginAndOverManyMagnitudes) {
  for (const double offset : {1e2, 1e4, 1e6})
    for (const int d : {1, 3, 32}) EXPECT_EQ(middles<TypeParam>(d, offset).wrong(1), 0) << "d = " << d << ", offset " << offset;
  const auto far = [](std::mt19937& random) { return 1e5 + double(random() % 1000) / 999; };
  const auto heavy = [](std::mt19937& random) { return std::pow(10.0, double(random() % 14) - 6) * (double(random() % 1999) / 999 - 1); };
  const auto tiny = [](std::mt19937& random) { return 1e-22 * (double(random() % 1999) - 999); };
  const auto grid = [](std::mt19937& random) { return double(random() % 3); };
  for (const auto make : {+far, +heavy, +tiny, +grid})
    for (const int d : {1, 2, 7, 38}) {
      const auto points = spread<TypeParam>(d, 8, make);
      const auto all = points.solve(never), some = points.solve(1);
      EXPECT_EQ(some.labels, all.labels) << "d = " << d;
      EXPECT_EQ(some.centroids, all.centroids) << "d = " << d;
    }
}

/// Section III's example: of 32 points, one takes ten distances, the others one each.
TYPED_TEST(ReinforcedOnTheCpu, CountsDistancesAndWhatAWarpWastes) {
  std::vector<TypeParam> points(32, 0), start;
  for (int c = 0; c < 10; ++c) start.push_back(TypeParam(c));
  points[5] = 20;
  const Trial<TypeParam> example(std::move(points), std::move(start), 1, 1);
  Trace trace(true);
  solved(Reinforced<TypeParam>(example.problem, Config(), trace), trace);
  const auto counted = [&](const char* name) { return trace.counters().find(name)->second; };
  EXPECT_EQ(counted("distances"), std::vector<double>{41});
  EXPECT_EQ(counted("mean_m"), std::vector<double>{41.0 / 32});
  EXPECT_DOUBLE_EQ(counted("warp_imbalance").front(), 10.0 * 32 / 41 - 1);
  for (const char* phase : {"icd_rid", "assign", "update"}) EXPECT_EQ(trace.phases().find(phase)->second.size(), 1u) << phase;
}

template <class T>
class RankRow : public ::testing::Test {};
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

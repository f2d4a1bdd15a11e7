// What gpu/hamerly/neighbours promises beyond right labels: exact labels after hundreds of iterations, few distances, and the same bits whatever the
// grid and the block. The bits are the same also where points and bounds do not fit a block's shared memory, and over the distinct points alone, as those
// of gpu/yinyang/compacted are. Skips without a GPU.
#include <cmath>

#include "tests/solving.hpp"

namespace km {
namespace {

constexpr std::string_view neighbours = "gpu/hamerly/neighbours";

/// Values of points: uniform, every second point in a smaller cube, so that clusters go on moving for long. Of `copied` in ten points all are one of
/// three, so that many of the first k are equal centroids, which part later. whole: rounded to integers, so that distances tie.
auto cubes(int d, int copied, bool whole) {
  return [=, value = uniform(3, 0.0, 1.0), points = std::vector<double>(), at = std::size_t(0)]() mutable {
    const std::size_t i = at / d, j = at++ % d;
    const double drawn = value() * (i % 2 ? 1.0 : 0.2);
    const double made = i >= 3 && i % 10 < std::size_t(copied) ? points[i % 3 * d + j] : whole ? std::floor(drawn * 8) : drawn;
    if (i < 3) points.push_back(made);
    return made;
  };
}

template <class T>
struct Neighbours : OnTheGpu {
  struct Case {
    int d, k, copied;
    bool whole;
  };
  static constexpr Case cases[] = {{3, 150, 0, false}, {7, 100, 0, false}, {20, 60, 0, false},
                                   {3, 60, 4, false},  {7, 60, 4, false},  {3, 40, 0, true},
                                   {2, 200, 0, true},  {32, 70, 0, false}, {sizeof(T) == 4 ? 41 : 30, 50, sizeof(T) == 4 ? 2 : 0, false}};

  static Drawn<T> points(const Case& c, int iters, std::int64_t n = 20'000) {
    return Drawn<T>({.n = n, .d = c.d, .k = c.k, .max_iters = iters}, cubes(c.d, c.copied, c.whole));
  }
};
TYPED_TEST_SUITE(Neighbours, Precisions);

TYPED_TEST(Neighbours, GivesTheSameBitsForEveryGridAndBlock) {
  for (const auto& c : this->cases) {
    const auto drawn = this->points(c, 60);
    const auto expected = solve(drawn.problem, neighbours);
    for (const std::int64_t grid : {1, 33, 66})
      for (const std::int64_t block : {128, 512}) {
        const auto made = solve(drawn.problem, neighbours, {{"grid", grid}, {"block", block}});
        expect_same_bits(made, expected, std::to_string(c.d) + " dimensions, grid " + std::to_string(grid) + ", block " + std::to_string(block));
      }
  }
}

TYPED_TEST(Neighbours, GivesTheSameBitsOverTheDistinctPointsAlone) {
  for (const auto& c : this->cases)
    for (const double tolerance : {-1.0, 0.02}) {
      Drawn<TypeParam> drawn = this->points(c, 60);
      drawn.problem.tolerance = tolerance;
      const std::string what =
          std::to_string(c.d) + " dimensions, " + std::to_string(c.copied) + " of 10 copied, tolerance " + std::to_string(tolerance);
      expect_same_bits(solve(drawn.problem, "gpu/hamerly/distinct"), solve(drawn.problem, neighbours), what);
      expect_same_bits(solve(drawn.problem, "gpu/yinyang/distinct"), solve(drawn.problem, "gpu/yinyang/compacted"), "compacted, " + what);
    }
}

TYPED_TEST(Neighbours, IsExactForHundredsOfIterations) {
  for (const auto& c : this->cases)
    for (const int iters : {1, 2, 3, 5, 10, 20, 100, 300}) {
      const auto drawn = this->points(c, iters);
      const Judgement judgement = judged(drawn.problem, neighbours);
      const std::string what = std::to_string(c.d) + " dimensions, k = " + std::to_string(c.k) + ", iteration " + std::to_string(iters);
      EXPECT_EQ(judgement.verdict, "") << what;
      if (c.whole && sizeof(TypeParam) == 8) continue;  // a mean's rounding may decide a tie
      EXPECT_EQ(judgement.wrong_labels, 0) << what;
      EXPECT_EQ(judgement.tied_labels, 0) << what;
    }
}

TYPED_TEST(Neighbours, IsExactWherePointsExceedSharedMemory) {
  const auto drawn = this->points(this->cases[1], 20, 300'000);
  for (const std::int64_t grid : {1, 132}) {
    const Judgement judgement = judged(drawn.problem, neighbours, {{"grid", grid}});
    EXPECT_EQ(judgement.verdict, "") << "grid " << grid;
    EXPECT_EQ(judgement.wrong_labels, 0) << "grid " << grid;
  }
}

TYPED_TEST(Neighbours, NeedsMoreThanNineTenthsOfTheShifts) {
  const Pulled<TypeParam> pulled;
  EXPECT_EQ(judged(pulled.problem, neighbours).verdict, "");
  if constexpr (sizeof(TypeParam) == 4) {
    EXPECT_NE(judged(pulled.problem, "faults/neighbours_stay").verdict, "");
  }
}

TYPED_TEST(Neighbours, ComputesFewDistances) {
  const auto drawn = this->points(this->cases[0], 100);
  Trace trace(true);
  solve(drawn.problem, neighbours, {}, trace);
  const auto& distances = trace.counters().find("distances")->second;
  EXPECT_LT(distances.back(), 0.1 * double(drawn.problem.n) * drawn.problem.k);
}

}  // namespace
}  // namespace km

// The GPU's Yinyangs give Lloyd's own bits over hundreds of iterations from fewer distances, need their drifts, and make the published update.
// gpu/yinyang/compacted gives the same bits for every grid and way of making distances. Skips without a GPU that they run on.
#include <cmath>

#include "impl/gpu/yinyang/grouping.cuh"
#include "impl/gpu/yinyang/widening.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

/// Points of a square far from the origin, whose centroids go on moving for hundreds of iterations.
template <class T>
struct FarSquare : Drawn<T> {
  explicit FarSquare(int max_iters) : Drawn<T>({.n = 20'000, .d = 2, .k = 100, .max_iters = max_iters}, uniform(7, 1000.0f, 1001.0f)) {}
};

template <class T>
std::string verdict(const Problem<T>& problem, std::string_view name, const ParameterValues& values = {}) {
  return judged(problem, name, values).verdict;
}

constexpr std::string_view yinyangs[] = {"gpu/yinyang/group", "gpu/yinyang/global", "gpu/yinyang/local"};
const ParameterValues published = {{"update", "incremental"}};

TEST(YinyangGroups, HoldCentroidsThatAreNear) {
  std::vector<float> centroids;  // 30 x 2, three bunches in turn
  for (int c = 0; c < 30; ++c) centroids.insert(centroids.end(), {100.0f * (c % 3) + c, -50.0f * (c % 3)});
  const auto group = yinyang::group_centroids(std::span<const float>(centroids), 2, 30, 3);
  for (int c = 0; c < 30; ++c) EXPECT_EQ(group[c], group[c % 3]) << c;
  EXPECT_NE(group[0], group[1]);
  EXPECT_NE(group[1], group[2]);
  EXPECT_NE(group[2], group[0]);
}

TEST(YinyangGroups, AreTwentyAndNeverMoreThanCentroids) {
  EXPECT_EQ(yinyang::how_many_groups(1000, 0), 20);
  EXPECT_EQ(yinyang::how_many_groups(19, 0), 19);
  EXPECT_EQ(yinyang::how_many_groups(1000, 40), 40);
  EXPECT_EQ(yinyang::how_many_groups(30, 40), 30);
}

template <class T>
class YinyangFactors : public ::testing::Test {};
TYPED_TEST_SUITE(YinyangFactors, Precisions);

/// A hundred squares in a chain of FMAs. The first is 1; each other one is a little less than half a digit and lost, or a little more and rounded up.
TYPED_TEST(YinyangFactors, NeedMoreThanNineTenthsOfTheShare) {
  using T = TypeParam;
  constexpr int d = 100;
  constexpr double u = std::numeric_limits<T>::epsilon() / 2.0;
  for (const double digits : {0.49, 0.51}) {
    const T diff = T(std::sqrt(2 * digits * u));
    T dist = 1;
    for (int j = 1; j < d; ++j) dist = std::fma(diff, diff, dist);
    const double more = (double(dist) - 1 - (d - 1) * double(diff) * double(diff)) / (1 + (d - 1) * 2 * u);
    const auto bounded = [&](double part) {
      const yinyang::Factors<T> factors(d, part);
      return digits < 0.5 ? double(factors.up) - 1 >= -more : 1 - double(factors.down) >= more;
    };
    EXPECT_TRUE(bounded(1)) << digits;
    EXPECT_FALSE(bounded(0.9)) << digits;
  }
}

struct YinyangOnTheGpu : OnTheGpu {};

TEST_F(YinyangOnTheGpu, MakesLloydsBitsForHundredsOfIterations) {
  const FarSquare<double> square(300);
  const auto expected = solve(square.problem, "gpu/lloyd/atomic");
  for (const std::string_view name : yinyangs) {
    const auto found = solve(square.problem, name);
    EXPECT_EQ(found.labels, expected.labels) << name;
    EXPECT_EQ(found.centroids, expected.centroids) << name;
  }
}

TEST_F(YinyangOnTheGpu, IsRightInSinglePrecisionFarFromTheOrigin) {
  const FarSquare<float> square(300);
  for (const std::string_view name : yinyangs) EXPECT_EQ(verdict(square.problem, name), "") << name;
}

TEST_F(YinyangOnTheGpu, NeedsMoreThanNineTenthsOfTheDrifts) {
  const Pulled<float> single;
  const Pulled<double> pulled;
  for (const std::string_view name : yinyangs) EXPECT_EQ(verdict(single.problem, name) + verdict(pulled.problem, name), "") << name;
  EXPECT_NE(verdict(single.problem, "faults/drift_on_the_gpu"), "");
  EXPECT_NE(verdict(pulled.problem, "faults/drift_on_the_gpu"), "");
}

TEST_F(YinyangOnTheGpu, MakesMeansFromMeansAsPublishedAndSaysSo) {
  FarSquare<double> square(300);
  for (double& value : square.points) value /= 3;  // with few bits nothing is rounded
  const auto exact = solve(square.problem, "gpu/yinyang/group"), first = solve(square.problem, "gpu/yinyang/group", published);
  EXPECT_NE(first.centroids, exact.centroids);
  for (const std::string_view name : yinyangs) {
    const Description& description = named(name).description;
    EXPECT_EQ(verdict(square.problem, name, published), "") << name;
    EXPECT_EQ(verdict(FarSquare<float>(10).problem, name, published), "") << name;
    EXPECT_EQ(solve(square.problem, name, published).centroids, first.centroids) << name;
    EXPECT_NE(departure(description, config_of(named(name), published)), "") << name;
    EXPECT_EQ(departure(description, config_of(named(name))), "") << name;
  }
}

/// The third cluster has three points, then none, then one.
TEST_F(YinyangOnTheGpu, FillsAnEmptyClusterAnewFromWhatJoinedAlone) {
  const std::vector<double> points = {17, 14, 14, 11, 10, 12, 1, 6, 4, 7, 0, 2}, start = {2, 11, 1, 10, 8, 2};
  Problem<double> problem{{.n = 6, .d = 2, .k = 3}, points, start};
  for (const std::string_view name : yinyangs)
    for (const ParameterValues& values : {ParameterValues{}, published}) {
      std::vector<std::int64_t> sizes;
      for (const int iters : {1, 2, 3, 4}) {
        problem.max_iters = iters;
        sizes.push_back(std::ranges::count(solve(problem, name, values).labels, 2));
        EXPECT_EQ(verdict(problem, name, values), "") << name << " iterations " << iters;
      }
      EXPECT_EQ(sizes, (std::vector<std::int64_t>{3, 0, 1, 1})) << name;
    }
}

TEST_F(YinyangOnTheGpu, CountsDistancesAndWhatPassesEachFilter) {
  const FarSquare<double> square(100);
  const double all = double(square.problem.n) * square.problem.k;
  for (const std::string_view name : yinyangs) {
    Trace trace(true);
    solve(square.problem, name, {}, trace);
    const auto& distances = trace.counters().at("distances");
    ASSERT_EQ(distances.size(), 100u) << name;
    EXPECT_EQ(distances.front(), all) << name;  // the first iteration has no bounds
    EXPECT_LT(distances.back(), all / 10) << name;
    EXPECT_EQ(trace.counters().at("past_global").front(), double(square.problem.n)) << name;
    EXPECT_EQ(trace.counters().at("past_group").size(), 100u) << name;
    EXPECT_EQ(trace.counters().contains("past_local"), name == "gpu/yinyang/local") << name;
  }
}

/// Uniform points, every second one in a smaller cube: clusters that go on moving for long. Of `copied` in ten points all are one of three,
/// so that many of the first k are equal centroids, which part later.
template <class T>
struct Cubes {
  Cubes(int d, int k, int copied) {
    static_cast<ProblemShape&>(problem) = {.n = 20'000, .d = d, .k = k};
    auto value = uniform(3, 0.0f, 1.0f);
    for (std::int64_t i = 0; i < problem.n; ++i)
      for (int j = 0; j < d; ++j) points.push_back(i >= 3 && i % 10 < copied ? points[i % 3 * d + j] : T(value() * (i % 2 ? 1.0f : 0.2f)));
    problem.points = points;
    problem.initial_centroids = std::span<const T>(points).first(std::int64_t(k) * d);
  }
  const Problem<T>& after(int iters) {
    problem.max_iters = iters;
    return problem;
  }
  std::vector<T> points;
  Problem<T> problem;
};

template <class T>
struct YinyangDevice : OnTheGpu {
  static constexpr std::string_view compacted = "gpu/yinyang/compacted";
  Cubes<T> cubes{20, 150, 0}, flat{3, 150, 0}, copies{20, 60, 4}, flat_copies{3, 60, 4};
};
TYPED_TEST_SUITE(YinyangDevice, Precisions);

TYPED_TEST(YinyangDevice, GivesTheSameBitsForEveryGridAndWay) {
  for (auto* points : {&this->cubes, &this->copies}) {
    const auto expected = solve(points->after(60), this->compacted);
    for (const char* begin : {"products", "differences"})
      for (const std::int64_t grid : {1, 66, 132}) {
        const auto made = solve(points->after(60), this->compacted, {{"begin", begin}, {"grid", grid}});
        expect_same_bits(made, expected, std::string(begin) + ", grid " + std::to_string(grid));
      }
  }
}

TYPED_TEST(YinyangDevice, IsExactForHundredsOfIterations) {
  for (auto* points : {&this->cubes, &this->flat, &this->copies, &this->flat_copies})
    for (const int iters : {2, 3, 5, 10, 20, 100, 300}) {
      const Judgement judgement = judged(points->after(iters), this->compacted);
      EXPECT_EQ(judgement.verdict, "") << points->problem.d << " dimensions, iteration " << iters;
      EXPECT_EQ(judgement.wrong_labels, 0) << points->problem.d << " dimensions, iteration " << iters;
      EXPECT_EQ(judgement.tied_labels, 0) << points->problem.d << " dimensions, iteration " << iters;
    }
}

TYPED_TEST(YinyangDevice, NeedsMoreThanNineTenthsOfTheShifts) {
  const Pulled<TypeParam> pulled;
  EXPECT_EQ(judged(pulled.problem, this->compacted).verdict, "");
  EXPECT_NE(judged(pulled.problem, "faults/nine_tenths_of_the_shift").verdict, "");
}

}  // namespace
}  // namespace km

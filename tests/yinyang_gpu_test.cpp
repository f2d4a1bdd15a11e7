// What the GPU's Yinyangs promise beyond right labels: Lloyd's own bits over hundreds of iterations, fewer distances, and drifts that are needed.
// Skips where there is no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "bench/device/device.hpp"
#include "bench/judge/judge.hpp"
#include "impl/gpu/yinyang/grouping.cuh"

namespace km {
namespace {

/// Points of a square far from the origin, whose centroids go on moving for hundreds of iterations.
template <class T>
struct FarSquare {
  explicit FarSquare(int iterations) {
    static_cast<ProblemShape&>(problem) = {.n = 20'000, .d = 2, .k = 100, .max_iters = iterations};
    std::mt19937 random(7);
    std::uniform_real_distribution<float> value(1000, 1001);
    for (std::int64_t at = 0; at < problem.n * problem.d; ++at) points.push_back(T(value(random)));
    problem.points = points;
    problem.initial_centroids = std::span<const T>(points).first(problem.k * problem.d);
  }
  std::vector<T> points;
  Problem<T> problem;
};

const Implementation& named(std::string_view name) {
  const auto found = std::ranges::find(implementations(), name, &Implementation::name);
  if (found == implementations().end()) throw std::logic_error("no implementation " + std::string(name));
  return *found;
}

Config defaults(const Implementation& implementation) {
  std::map<std::string, Value, std::less<>> values;
  for (const Parameter& parameter : implementation.description.parameters) values.emplace(parameter.name, parameter.fallback);
  return Config(std::move(values));
}

template <class T>
Solution<T> solve(const Problem<T>& problem, std::string_view name, Trace& trace) {
  const Implementation& implementation = named(name);
  const auto solver = implementation.prepare<T>()(problem, defaults(implementation), trace);
  solver->reset();
  solver->iterate(trace);
  return solver->download();
}

template <class T>
std::string verdict(const Problem<T>& problem, std::string_view name) {
  Trace untraced;
  const Implementation& implementation = named(name);
  return judge(problem, solve(problem, name, untraced), implementation.description, defaults(implementation)).verdict;
}

constexpr std::string_view yinyangs[] = {"gpu/yinyang/group", "gpu/yinyang/global", "gpu/yinyang/local"};

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

class YinyangOnTheGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::available()) GTEST_SKIP() << device::unavailable();
  }
};

TEST_F(YinyangOnTheGpu, MakesLloydsBitsForHundredsOfIterations) {
  const FarSquare<double> square(300);
  Trace untraced;
  const auto expected = solve(square.problem, "gpu/lloyd/atomic", untraced);
  for (const std::string_view name : yinyangs) {
    const auto found = solve(square.problem, name, untraced);
    EXPECT_EQ(found.labels, expected.labels) << name;
    EXPECT_EQ(found.centroids, expected.centroids) << name;
  }
}

TEST_F(YinyangOnTheGpu, IsRightInSinglePrecisionFarFromTheOrigin) {
  const FarSquare<float> square(300);
  for (const std::string_view name : yinyangs) EXPECT_EQ(verdict(square.problem, name), "") << name;
}

TEST_F(YinyangOnTheGpu, NeedsTheDriftsItMovesItsBoundsBy) {
  EXPECT_NE(verdict(FarSquare<float>(12).problem, "faults/drift_of_a_tenth"), "");
  EXPECT_NE(verdict(FarSquare<double>(12).problem, "faults/drift_of_a_tenth"), "");
}

TEST_F(YinyangOnTheGpu, CountsDistancesAndWhatPassesEachFilter) {
  const FarSquare<double> square(100);
  const double all = double(square.problem.n) * square.problem.k;
  for (const std::string_view name : yinyangs) {
    Trace trace(true);
    solve(square.problem, name, trace);
    device::synchronize();
    trace.finish();
    const auto& distances = trace.counters().at("distances");
    ASSERT_EQ(distances.size(), 100u) << name;
    EXPECT_EQ(distances.front(), all) << name;  // the first iteration has no bounds
    EXPECT_LT(distances.back(), all / 10) << name;
    EXPECT_EQ(trace.counters().at("past_global").front(), double(square.problem.n)) << name;
    EXPECT_EQ(trace.counters().at("past_group").size(), 100u) << name;
    EXPECT_EQ(trace.counters().contains("past_local"), name == "gpu/yinyang/local") << name;
  }
}

}  // namespace
}  // namespace km

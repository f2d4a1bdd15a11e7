// Edges met exactly: a tolerance, as many clusters as points, distances that tie.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/contract/lloyd.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/solving.hpp"
#include "tests/sweeps.hpp"

namespace km {
namespace {

TEST(Edges, AToleranceThatIsMetExactlyStops) {
  const ProblemShape shape{.n = 200, .d = 1, .k = 1, .max_iters = 10, .tolerance = 0.05};
  EXPECT_TRUE(shape.converged(10)) << "at most this share";
  EXPECT_FALSE(shape.converged(11));
  EXPECT_TRUE((ProblemShape{.n = 200, .tolerance = 0}.converged(0)));
  EXPECT_FALSE((ProblemShape{.n = 200, .tolerance = -1}.converged(0)));
}

TEST(Edges, TheLoopStopsAfterTheUpdateThatFollowsTheLastAssign) {
  std::string steps;
  Trace trace(true);
  const auto run = [&](int max_iters, double tolerance) {
    steps.clear();
    std::int64_t changed = 8;
    return lloyd(
        {.n = 10, .d = 1, .k = 1, .max_iters = max_iters, .tolerance = tolerance}, trace, [&] { return steps += "a", changed /= 2; },
        [&] { steps += "u"; });
  };
  EXPECT_EQ(run(3, -1), 3);
  EXPECT_EQ(steps, "auauau");
  EXPECT_EQ(run(9, 0.2), 2) << "2 of 10 changed in the second";
  EXPECT_EQ(run(9, 0), 4) << "4, 2, 1, 0";
}

TEST(Edges, AsManyClustersAsPointsCanRun) {
  EXPECT_EQ(some_case({{"n", {whole(7)}}, {"k", {whole(7)}}}).skip, "");
  expect_has(complaint_of([] { some_case({{"n", {whole(7)}}, {"k", {whole(8)}}}); }), {"k = 8", "n = 7"});
}

TEST(Floors, AreThoseOfTheMethod) {
  const Work work = lloyd_work({.n = 1000, .d = 5, .k = 7}, {}, 8);
  EXPECT_EQ(work.bytes, 1000 * 5 * 8 + 4 * 1000);
  EXPECT_EQ(work.flops, 3 * 1000 * 7 * 5 + 1000 * 5);
}

TEST(Ties, TheLowestIndexWinsInEveryImplementationOfTheProcessor) {
  const std::vector<double> points = {0, 1, 2, 3, 4, 5}, start = {1, 5, 1, 3};  // 1 twice; 4 and 2 lie midway
  const Problem<double> problem{{.n = 6, .d = 1, .k = 4, .max_iters = 1}, points, start};
  for (const auto& implementation : implementations()) {
    if (!implementation.name.starts_with("cpu/") || !implementation.fp64) continue;
    const Config config = config_of(implementation);
    if (implementation.description.unsupported && !implementation.description.unsupported(problem, config, 8).empty()) continue;
    EXPECT_EQ(solve(problem, implementation.name).labels, (Labels{0, 0, 0, 3, 1, 1})) << implementation.name;
  }
}

}  // namespace
}  // namespace km

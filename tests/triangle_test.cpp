// impl/gpu/triangle gives the labels and centroids of gpu/triangle/standard to the bit, and the judge sees a cut-off that is too near.
// Skips without a GPU.
#include "tests/solving.hpp"

namespace km {
namespace {

/// Points of a coarse grid, so that many lie half way between two centroids and many centroids at the same distance; `offset` moves them all
/// away from the origin.
template <class T>
struct Grid : Drawn<T> {
  Grid(int d, int k, double offset, int max_iters = 12)
      : Drawn<T>({.n = 20'011, .d = d, .k = k, .max_iters = max_iters},
                 [random = std::mt19937(d + k), value = std::uniform_int_distribution<int>(0, 8), offset]() mutable {
                   return offset + value(random) / 8.0;
                 }) {}
};

template <class T>
struct Triangle : OnTheGpu {};
TYPED_TEST_SUITE(Triangle, Precisions);

TYPED_TEST(Triangle, SkipsWithoutChangingABit) {
  for (const auto& [d, k, offset] : {std::tuple{2, 9, 0.0}, {3, 64, 0.1}, {32, 40, 1000.0}, {32, 700, 0.3}}) {
    const Grid<TypeParam> grid(d, k, offset);
    const auto expected = solve(grid.problem, "gpu/triangle/standard");
    const auto expect = [&](const std::string& name, const ParameterValues& values) {
      expect_same_bits(solve(grid.problem, name, values), expected, name);
    };
    expect("gpu/triangle/standard", {{"grid", 528}, {"block", 128}});
    expect("gpu/triangle/reinforced", {{"rearrange", "none"}});
    expect("gpu/triangle/reinforced", {{"rearrange", "two_epoch"}, {"grid", 132}});
    expect("gpu/triangle/hybrid", {});
    for (const char* const algorithm : {"standard", "reinforced", "hybrid"})
      for (const char* const memory : {"shared", "global"})
        for (const int settled : {0, 1000})
          expect("gpu/triangle/published", {{"algorithm", algorithm}, {"centroids", memory}, {"settled", settled}, {"rank_test", "passed"}});
    expect("gpu/triangle/published", {});
  }
}

TYPED_TEST(Triangle, LabelsOnTheDeviceAsTheHostDrivenOnesDo) {
  const Grid<TypeParam> grid(32, 100, 0.1, 1);  // afterwards sums of another order lead elsewhere
  EXPECT_EQ(solve(grid.problem, "gpu/triangle/reinforced_device").labels, solve(grid.problem, "gpu/triangle/standard").labels);
}

TYPED_TEST(Triangle, JudgesACutoffThatIsTooNear) {
  const Grid<TypeParam> grid(2, 9, 0);
  for (const std::string_view name : {"gpu/triangle/reinforced", "gpu/triangle/reinforced_device", "faults/cutoff_at_its_own_distance"}) {
    const std::string verdict = judged(grid.problem, name).verdict;
    EXPECT_EQ(verdict != "", name.starts_with("faults/")) << name << ": " << verdict;
  }
}

TYPED_TEST(Triangle, CountsWhatItSkips) {
  const Grid<TypeParam> grid(2, 64, 0);
  for (const char* rearrange : {"none", "two_epoch"}) {
    Trace trace(true);
    solve(grid.problem, "gpu/triangle/reinforced", {{"rearrange", rearrange}}, trace);
    const auto& distances = trace.counters().at("distances");
    ASSERT_EQ(distances.size(), 12u);
    EXPECT_GE(distances.back(), double(grid.problem.n));
    EXPECT_LT(distances.back(), double(grid.problem.n) * 64);
    EXPECT_DOUBLE_EQ(trace.counters().at("mean_m").back(), distances.back() / double(grid.problem.n));
    EXPECT_GE(trace.counters().at("warp_imbalance").back(), 0);
  }
}

TYPED_TEST(Triangle, RanksInAShortRunAsPublished) {
  const Grid<TypeParam> grid(2, 64, 0, 4);
  Trace trace(true);
  solve(grid.problem, "gpu/triangle/published", {{"rank_test", "passed"}}, trace);
  EXPECT_LT(trace.counters().at("distances").front(), double(grid.problem.n) * 64);
}

TYPED_TEST(Triangle, TakesTheStandardKernelForAShortRun) {
  const Grid<TypeParam> grid(2, 64, 0, 4);
  Trace trace(true);
  solve(grid.problem, "gpu/triangle/hybrid", {}, trace);
  for (const double distances : trace.counters().at("distances")) EXPECT_EQ(distances, double(grid.problem.n) * 64);
}

}  // namespace
}  // namespace km

// impl/gpu/triangle gives the labels and centroids of gpu/triangle/standard to the bit, and the judge sees a cut-off that is too near (skips without
// a GPU). The proof of its cutoff.hpp, near to the origin and far from it. The file of the hybrid's constants.
#include <cmath>

#include "impl/gpu/triangle/constants.hpp"
#include "impl/gpu/triangle/cutoff.hpp"
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

using triangle::Constants;

class TriangleConstants : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / ("constants" + std::to_string(::getpid()));
  const std::filesystem::path file = folder / "card.txt";
};

TEST_F(TriangleConstants, AreKeptDigitByDigit) {
  const Constants given{1.0 / 3e12, 4.7e-9, 6e-13};
  triangle::write_constants(file, given);
  const Constants found = triangle::read_constants(file);
  EXPECT_EQ(found.a, given.a);
  EXPECT_EQ(found.b, given.b);
  EXPECT_EQ(found.c, given.c);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "no draft is left behind";
}

TEST_F(TriangleConstants, AreMeasuredAnewWhereTheFileMakesNoSense) {
  EXPECT_FALSE(triangle::read_constants(file).usable()) << "no file";
  std::filesystem::create_directories(folder);
  for (const char* text : {"", "1e-12 2e-9", "1e-12 2e-9 0", "1e-12 -2e-9 1e-12", "nan 1 1", "1e-12 2e-9 1e-12 7", "a b c", "1e999 1 1"}) {
    std::ofstream(file) << text;
    EXPECT_FALSE(triangle::read_constants(file).usable()) << text;
  }
}

TEST_F(TriangleConstants, AreNotMissedWhereNoFileCanLie) {
  std::filesystem::create_directories(folder.parent_path());
  std::ofstream(folder) << "a file where the folder should be";
  EXPECT_NO_THROW(triangle::write_constants(file, {1, 1, 1}));
  EXPECT_FALSE(triangle::read_constants(file).usable());
}

}  // namespace
}  // namespace km

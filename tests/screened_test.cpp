// gpu/lloyd/screened and screened_mma, and on all GPUs gpu/many/screened and screened_peers, give the same bits for every grid. The first two need more
// than nine tenths of their margin. Skips without a GPU that they run on.
#include <cmath>

#include "tests/solving.hpp"

namespace km {
namespace {

/// A value in fp16, for normal numbers.
double in_fp16(double value) {
  const double unit = std::ldexp(1, std::ilogb(value) - 10);
  return std::nearbyint(value / unit) * unit;
}

/// The margin's worst case. fp16 holds both centroids, b and -b, so that all errors come from the points. Each point lies about half way, and its
/// residual points along b. Scores lead the wrong way by 0.95 of 2 |residual| |b| and more, nearly all of the margin.
template <class T>
struct Misled {
  Misled() {
    auto value = uniform(5, 0.6, 1.0);
    while (points.size() < 8000) {
      const double y = value(), x = 0.875 * y - 1e-5, off_x = x - in_fp16(x), off_y = y - in_fp16(y);
      if (0.875 * off_y - off_x - 1e-5 < 0.95 * std::hypot(off_x, off_y) * std::hypot(1, 0.875)) continue;
      for (const double sign : {1, -1}) points.push_back(T(sign * x)), points.push_back(T(sign * y));
    }
    problem = Problem<T>{{.n = std::ssize(points) / 2, .d = 2, .k = 2, .max_iters = 1}, points, start};
  }
  std::vector<T> points;
  const std::vector<T> start = {T(0.5), T(-0.4375), T(-0.5), T(0.4375)};
  Problem<T> problem;
};

/// Points of a square, more clusters than fp16 can tell apart.
template <class T>
struct ScreenedOnTheGpu : OnTheGpu {
  /// Those of these names that run here.
  std::vector<std::string> present(std::vector<std::string> names) const {
    std::erase_if(names, [&](const std::string& name) {
      const auto found = std::ranges::find(implementations(), name, &Implementation::name);
      return found == implementations().end() || !found->description.unsupported(square.problem, config_of(*found), sizeof(T)).empty();
    });
    return names;
  }

  const Drawn<T> square{{.n = 20'000, .d = 2, .k = 300, .max_iters = 5}, uniform(3, 0.0f, 1.0f)};
};
TYPED_TEST_SUITE(ScreenedOnTheGpu, Precisions);

TYPED_TEST(ScreenedOnTheGpu, GivesTheSameBitsForEveryGridAndOnAllGpus) {
  const auto names = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma", "gpu/many/screened", "gpu/many/screened_peers"});
  if (names.empty()) GTEST_SKIP() << "none of them runs here";
  const auto expected = solve(this->square.problem, names.front());
  for (const auto& name : names)
    for (const std::int64_t grid : {132, 264, 528})
      expect_same_bits(solve(this->square.problem, name, {{"grid", grid}}), expected, name + ", grid " + std::to_string(grid));
}

TYPED_TEST(ScreenedOnTheGpu, GivesTheSameBitsForEveryStrategy) {  // with three products, sums of four chunks; candidates of few and of all points
  const auto names = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma"});
  if (names.empty()) GTEST_SKIP() << "none of them runs here";
  const Drawn<TypeParam> cloud{{.n = 20'000, .d = 200, .k = 300, .max_iters = 5}, uniform(4, 0.0f, 1.0f)};
  const auto expected = solve(cloud.problem, names.front(), {{"begin", std::string("differences")}});
  for (const auto& name : names)
    for (const std::string begin : {"one product", "three products"})
      expect_same_bits(solve(cloud.problem, name, {{"begin", begin}}), expected, name + ", " + begin);
}

TYPED_TEST(ScreenedOnTheGpu, IsRightForManyClustersAndForManyDimensions) {  // blocks share the counters of clusters; chunks of 128 dimensions
  const auto names = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma"});
  if (names.empty()) GTEST_SKIP() << "none of them runs here";
  for (const ProblemShape shape : {ProblemShape{.n = 30'000, .d = 3, .k = 20'000, .max_iters = 3}, {.n = 3000, .d = 3001, .k = 20, .max_iters = 3}})
    for (const auto& name : names)
      EXPECT_EQ(judged(Drawn<TypeParam>{shape, uniform(7, 0.0f, 1.0f)}.problem, name).verdict, "") << name << ", k = " << shape.k;
}

TYPED_TEST(ScreenedOnTheGpu, IsRightWhereNineTenthsOfItsMarginAreNot) {
  const auto names = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma", "faults/screen_of_nine_tenths"});
  if (names.empty()) GTEST_SKIP() << "none of them runs here";
  const Misled<TypeParam> misled;
  for (const auto& name : names) {
    const bool fault = name.starts_with("faults/");
    const Judgement judgement = judged(misled.problem, name);
    EXPECT_EQ(judgement.verdict != "", fault) << name << ": " << judgement.verdict;
    EXPECT_EQ(judgement.wrong_labels, fault ? misled.problem.n : 0) << name;
  }
}

}  // namespace
}  // namespace km

// gpu/yinyang/compacted gives the same bits for every grid and way of making distances, also after hundreds of iterations, and needs its bounds.
// Skips without a GPU that it runs on.
#include "tests/solving.hpp"

namespace km {
namespace {

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

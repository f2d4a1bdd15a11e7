// What gpu/yinyang/compacted promises beyond right labels: the same bits whatever the grid and however distances are made, also after
// hundreds of iterations, and bounds that are needed. Skips where there is no GPU, or none that it runs on.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "bench/device/device.hpp"
#include "bench/judge/judge.hpp"

namespace km {
namespace {

/// Uniform points, every second one in a smaller cube: clusters that go on moving for long. Of `copied` in ten points all are one of three,
/// so that many of the first k are equal centroids, which part later.
template <class T>
struct Cubes {
  Cubes(int d, int k, int copied) {
    static_cast<ProblemShape&>(problem) = {.n = 20'000, .d = d, .k = k};
    std::mt19937 random(3);
    std::uniform_real_distribution<float> value(0, 1);
    for (std::int64_t i = 0; i < problem.n; ++i)
      for (int j = 0; j < d; ++j) points.push_back(i >= 3 && i % 10 < copied ? points[i % 3 * d + j] : T(value(random) * (i % 2 ? 1.0f : 0.2f)));
    problem.points = points;
    problem.initial_centroids = std::span<const T>(points).first(std::int64_t(k) * d);
  }
  std::vector<T> points;
  Problem<T> problem;
};

template <class T>
class YinyangDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::available()) GTEST_SKIP() << device::unavailable();
    for (const Implementation& implementation : implementations()) {
      if (implementation.name == "gpu/yinyang/compacted") compacted = &implementation;
      if (implementation.name == "faults/tenth_of_the_shift") faulty = &implementation;
    }
    if (!compacted || !faulty) GTEST_SKIP() << "no GPU implementations in this build";
  }

  static Config with(std::map<std::string, Value, std::less<>> values, const Implementation& implementation) {
    for (const Parameter& parameter : implementation.description.parameters) values.emplace(parameter.name, parameter.fallback);
    return Config(std::move(values));
  }

  static Solution<T> solve(const Implementation& implementation, const Config& config, Problem<T> problem, int iters) {
    problem.max_iters = iters;
    Trace trace;
    const auto solver = implementation.prepare<T>()(problem, config, trace);
    solver->reset();
    solver->iterate(trace);
    return solver->download();
  }

  static Judgement judged(const Implementation& implementation, Problem<T> problem, int iters) {
    const Config config = with({}, implementation);
    problem.max_iters = iters;
    return judge(problem, solve(implementation, config, problem, iters), implementation.description, config);
  }

  const Cubes<T> cubes{20, 150, 0}, flat{3, 150, 0}, copies{20, 60, 4}, flat_copies{3, 60, 4};
  const Implementation *compacted = nullptr, *faulty = nullptr;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(YinyangDevice, Precisions);

TYPED_TEST(YinyangDevice, GivesTheSameBitsForEveryGridAndWay) {
  for (const auto* points : {&this->cubes, &this->copies}) {
    const auto expected = this->solve(*this->compacted, this->with({}, *this->compacted), points->problem, 60);
    for (const char* begin : {"products", "differences"})
      for (const std::int64_t grid : {1, 66, 132}) {
        const auto config = this->with({{"begin", begin}, {"grid", grid}}, *this->compacted);
        const auto solution = this->solve(*this->compacted, config, points->problem, 60);
        EXPECT_EQ(solution.labels, expected.labels) << begin << ", grid " << grid;
        ASSERT_EQ(solution.centroids.size(), expected.centroids.size());
        EXPECT_EQ(std::memcmp(solution.centroids.data(), expected.centroids.data(), expected.centroids.size() * sizeof(TypeParam)), 0)
            << begin << ", grid " << grid;
      }
  }
}

TYPED_TEST(YinyangDevice, IsExactForHundredsOfIterations) {
  for (const auto* points : {&this->cubes, &this->flat, &this->copies, &this->flat_copies})
    for (const int iters : {2, 3, 5, 10, 20, 100, 300}) {
      const Judgement judgement = this->judged(*this->compacted, points->problem, iters);
      EXPECT_EQ(judgement.verdict, "") << points->problem.d << " dimensions, iteration " << iters;
      EXPECT_EQ(judgement.wrong_labels, 0) << points->problem.d << " dimensions, iteration " << iters;
      EXPECT_EQ(judgement.tied_labels, 0) << points->problem.d << " dimensions, iteration " << iters;
    }
}

TYPED_TEST(YinyangDevice, IsWrongWhereBoundsPayATenthOfTheShifts) {
  std::int64_t wrong = 0;
  for (const int iters : {3, 10, 30}) wrong += this->judged(*this->faulty, this->cubes.problem, iters).wrong_labels;
  EXPECT_GT(wrong, 0);
}

}  // namespace
}  // namespace km

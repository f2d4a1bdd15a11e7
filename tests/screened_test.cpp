// What gpu/lloyd/screened and screened_mma promise beyond right labels: the same bits whatever the grid, and a margin that is needed. Skips
// where there is no GPU, or none that they run on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "bench/device/device.hpp"
#include "bench/judge/judge.hpp"

namespace km {
namespace {

/// Points of a square, more clusters than fp16 can tell apart: a hundredth of the margin leaves some 2% of the labels wrong.
template <class T>
struct Square {
  Square() {
    static_cast<ProblemShape&>(problem) = {.n = 20'000, .d = 2, .k = 300, .max_iters = 5};
    std::mt19937 random(3);
    std::uniform_real_distribution<float> value(0, 1);
    for (std::int64_t at = 0; at < problem.n * problem.d; ++at) points.push_back(T(value(random)));
    problem.points = points;
    problem.initial_centroids = std::span<const T>(points).first(problem.k * problem.d);
  }
  std::vector<T> points;
  Problem<T> problem;
};

template <class T>
class Screened : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::available()) GTEST_SKIP() << device::unavailable();
  }

  /// Those of these names that run here, with every parameter at its default.
  std::vector<std::pair<const Implementation*, Config>> present(std::vector<std::string_view> names) const {
    std::vector<std::pair<const Implementation*, Config>> found;
    for (const Implementation& implementation : implementations())
      if (std::ranges::count(names, implementation.name) > 0) {
        const Config config = with({}, implementation);
        if (implementation.description.unsupported(square.problem, config, sizeof(T)).empty()) found.emplace_back(&implementation, config);
      }
    return found;
  }

  static Config with(std::map<std::string, Value, std::less<>> values, const Implementation& implementation) {
    for (const Parameter& parameter : implementation.description.parameters) values.emplace(parameter.name, parameter.fallback);
    return Config(std::move(values));
  }

  Solution<T> solve(const Implementation& implementation, const Config& config) const {
    Trace trace;
    const auto solver = implementation.prepare<T>()(square.problem, config, trace);
    solver->reset();
    solver->iterate(trace);
    return solver->download();
  }

  const Square<T> square;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Screened, Precisions);

TYPED_TEST(Screened, GivesTheSameBitsForEveryGrid) {
  const auto found = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma"});
  if (found.empty()) GTEST_SKIP() << "none of them runs here";
  const auto [first, config] = found.front();
  const auto expected = this->solve(*first, config);
  for (const auto& [implementation, unused] : found)
    for (const std::int64_t grid : {132, 264, 528}) {
      const auto solution = this->solve(*implementation, this->with({{"grid", grid}}, *implementation));
      EXPECT_EQ(solution.labels, expected.labels) << implementation->name << ", grid " << grid;
      ASSERT_EQ(solution.centroids.size(), expected.centroids.size());
      EXPECT_EQ(std::memcmp(solution.centroids.data(), expected.centroids.data(), expected.centroids.size() * sizeof(TypeParam)), 0)
          << implementation->name << ", grid " << grid;
    }
}

TYPED_TEST(Screened, IsRightWhereAHundredthOfItsMarginIsNot) {
  const auto found = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma", "faults/hundredth_of_the_margin"});
  if (found.empty()) GTEST_SKIP() << "none of them runs here";
  for (const auto& [implementation, config] : found) {
    const bool fault = implementation->name.starts_with("faults/");
    const Judgement judgement = judge(this->square.problem, this->solve(*implementation, config), implementation->description, config);
    EXPECT_EQ(judgement.verdict != "", fault) << implementation->name << ": " << judgement.verdict;
    EXPECT_EQ(judgement.wrong_labels > 0, fault) << implementation->name << ": " << judgement.wrong_labels;
  }
}

}  // namespace
}  // namespace km

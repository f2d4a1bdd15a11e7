// What gpu/lloyd/register_tiles promises beyond right labels: the same bits whatever the grid, and a margin of which nine tenths do not do. Skips
// where there is no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bench/device/device.hpp"
#include "bench/judge/judge.hpp"

namespace km {
namespace {

/// The margin's worst case, for one dimension and 2048 clusters in groups of eight: a key loses eight bits of its score. Four centroids of the first
/// group, whose index is zero, each have a partner of the last group close by; points lie between the two, a little nearer to either. Where the
/// first one's score ends in eight ones, its key exceeds it by 255 units in the last place, of 266 to 282 in the margin.
class RegisterTiles : public ::testing::Test {
 protected:
  static constexpr int pairs = 4, points_a_pair = 2500;

  void SetUp() override {
    if (!device::available()) GTEST_SKIP() << device::unavailable();
    static_cast<ProblemShape&>(problem_) = {.n = pairs * points_a_pair, .d = 1, .k = 2048, .max_iters = 1};
    start_.assign(problem_.k, -1.0f);
    for (int pair = 0; pair < pairs; ++pair) {
      const float middle = 1.4176f + 0.012f * float(pair);
      start_[pair] = middle + 0.00025f, start_[problem_.k - 1 - pair] = middle - 0.00025f;
      float x = middle;
      for (int at = 0; at < points_a_pair / 2; ++at) x = std::nextafter(x, 0.0f);
      for (int at = 0; at < points_a_pair; ++at) points_.push_back(x = std::nextafter(x, 2.0f));
    }
    // Two points far from the rest keep the range wide: else the layout would subtract an origin, and the case with it.
    points_.front() = -1, points_.back() = -1.001f;
    problem_.points = points_, problem_.initial_centroids = start_;
  }

  static const Implementation* find(std::string_view name) {
    const auto at = std::ranges::find(implementations(), name, &Implementation::name);
    return at == implementations().end() ? nullptr : &*at;
  }
  static Config with(std::map<std::string, Value, std::less<>> values, const Implementation& implementation) {
    for (const Parameter& parameter : implementation.description.parameters) values.emplace(parameter.name, parameter.fallback);
    return Config(std::move(values));
  }
  Solution<float> solve(const Implementation& implementation, const Config& config) const {
    Trace trace;
    const auto solver = implementation.fp32(problem_, config, trace);
    solver->reset();
    solver->iterate(trace);
    return solver->download();
  }

  std::vector<float> points_, start_;
  Problem<float> problem_;
};

TEST_F(RegisterTiles, GivesTheSameBitsForEveryGrid) {
  const Implementation* const found = find("gpu/lloyd/register_tiles");
  if (!found) GTEST_SKIP() << "not in this build";
  problem_.max_iters = 5;
  const auto expected = solve(*found, with({}, *found));
  for (const std::int64_t grid : {1, 33, 66}) {
    const auto solution = solve(*found, with({{"grid", grid}}, *found));
    EXPECT_EQ(solution.labels, expected.labels) << grid;
    EXPECT_EQ(std::memcmp(solution.centroids.data(), expected.centroids.data(), expected.centroids.size() * sizeof(float)), 0) << grid;
  }
}

TEST_F(RegisterTiles, IsRightWhereNineTenthsOfItsMarginAreNot) {
  for (const std::string_view name : {"gpu/lloyd/register_tiles", "faults/nine_tenths_of_the_margin"}) {
    const Implementation* const found = find(name);
    if (!found) GTEST_SKIP() << name << " is not in this build";
    const Judgement judgement = judge(problem_, solve(*found, with({}, *found)), found->description, with({}, *found));
    const bool fault = name.starts_with("faults/");
    EXPECT_EQ(judgement.verdict != "", fault) << name << ": " << judgement.verdict;
    EXPECT_EQ(judgement.wrong_labels > 0, fault) << name << ": " << judgement.wrong_labels;
  }
}

}  // namespace
}  // namespace km

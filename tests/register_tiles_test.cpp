// gpu/lloyd/register_tiles gives the same bits for every grid and needs more than nine tenths of its margin. Skips without a GPU.
#include <cmath>

#include "tests/solving.hpp"

namespace km {
namespace {

/// The margin's worst case, for one dimension and 2048 clusters in groups of eight: a key loses eight bits of its score. Four centroids of the first
/// group, whose index is zero, each have a partner of the last group close by. Points lie between the two, a little nearer to either. Where the first
/// one's score ends in eight ones, its key exceeds it by 255 units in the last place, of 266 to 282 in the margin.
struct RegisterTiles : OnTheGpu {
  static constexpr int pairs = 4, points_a_pair = 2500;

  void SetUp() override {
    OnTheGpu::SetUp();
    if (IsSkipped()) return;
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

  std::vector<float> points_, start_;
  Problem<float> problem_;
};

TEST_F(RegisterTiles, GivesTheSameBitsForEveryGrid) {
  problem_.max_iters = 5;
  const auto expected = solve(problem_, "gpu/lloyd/register_tiles");
  for (const std::int64_t grid : {1, 33, 66})
    expect_same_bits(solve(problem_, "gpu/lloyd/register_tiles", {{"grid", grid}}), expected, "grid " + std::to_string(grid));
}

TEST_F(RegisterTiles, IsRightWhereNineTenthsOfItsMarginAreNot) {
  for (const std::string_view name : {"gpu/lloyd/register_tiles", "faults/nine_tenths_of_the_margin"}) {
    const Judgement judgement = judged(problem_, name);
    const bool fault = name.starts_with("faults/");
    EXPECT_EQ(judgement.verdict != "", fault) << name << ": " << judgement.verdict;
    EXPECT_EQ(judgement.wrong_labels > 0, fault) << name << ": " << judgement.wrong_labels;
  }
}

}  // namespace
}  // namespace km

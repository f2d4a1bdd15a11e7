// Generated groups that are not round lie where they should.
#include <cmath>
#include <numbers>

#include "tests/dataset_helpers.hpp"

namespace km {
namespace {

using Labels = std::vector<std::int32_t>;

TEST(Curves, RingsHaveTheRadiusOfTheirGroup) {
  const auto wish = request("rings", 5000, {{"groups", 3}});
  const auto data = load_dataset<double>(wish);
  const Labels truth = generated_labels(wish);
  ASSERT_EQ(truth.size(), 5000u);
  for (std::size_t i = 0; i < truth.size(); ++i) ASSERT_NEAR(std::hypot(data.values[2 * i], data.values[2 * i + 1]), truth[i] + 1, 0.5) << i;
}

TEST(Curves, MoonsLieOnTheirHalfCircles) {
  const auto wish = request("moons", 5000, {{"noise", 0}});
  const auto data = load_dataset<double>(wish);
  const Labels truth = generated_labels(wish);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double x = data.values[2 * i] - truth[i], y = data.values[2 * i + 1] - 0.5 * truth[i];
    ASSERT_NEAR(std::hypot(x, y), 1, 1e-12) << i;
    ASSERT_GE(truth[i] == 0 ? y : -y, -1e-12) << i;
  }
}

TEST(Curves, SpiralsStartApartAndEllipsesAreStretched) {
  const auto wish = request("spirals", 3000, {{"noise", 0}});
  const auto data = load_dataset<double>(wish);
  const Labels truth = generated_labels(wish);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double x = data.values[2 * i], y = data.values[2 * i + 1], turned = std::hypot(x, y) - 0.5;
    const double angle = std::atan2(y, x) / (2 * std::numbers::pi) - turned - truth[i] / 2.0;
    ASSERT_NEAR(angle - std::round(angle), 0, 1e-9) << i;
  }
  const auto ellipses = load_dataset<double>(request("ellipses", 3000));
  double across = 0, along = 0;
  const Labels groups = generated_labels(request("ellipses", 3000));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] != 1) continue;  // its axis is at a quarter turn
    across += std::pow(ellipses.values[2 * i], 2);
    along += std::pow(ellipses.values[2 * i + 1], 2);
  }
  EXPECT_NEAR(std::sqrt(along / across), 6, 0.6);
}

TEST(Curves, AFileHasNoGeneratedLabels) { EXPECT_TRUE(generated_labels(request("uniform", 100)).empty()); }

TEST(Curves, NegativeNoiseIsRefused) { expect_has(complaint(request("moons", 100, {{"noise", -1}})), {"noise = -1", "negative"}); }

}  // namespace
}  // namespace km

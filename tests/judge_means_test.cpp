// The judge tells the rounding of means from error: each bound is held from both sides.
#include <cmath>

#include "tests/judged_trial.hpp"

namespace km {
namespace {

TEST(JudgeOfMeans, PlainSummationInFp32IsRoundingAndMoreIsNot) {
  constexpr int n = 1'000'000;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += 0.1f;
  const float mean = sum / n;
  ASSERT_GT(std::abs(mean - 0.1f), 5e-4f) << "the sum is expected to lose a share of a percent";
  auto trial = on_a_line<float>(std::vector<float>(n, 0.1f), Labels(n, 0), {0}, {mean});
  EXPECT_EQ(trial.verdict(), "") << "n additions in a row explain it";
  EXPECT_NEAR(trial.judged().mean_error, std::abs(mean - 0.1), 1e-7);

  trial.description.summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1000; };
  EXPECT_PRED2(says, trial.verdict(), "rounding explains") << "chains of 1000 additions do not";

  trial.description.summation_depth = {};
  for (const double times : {3.9, 4.1}) {
    trial.solution.centroids[0] = float(0.1f + times * (mean - 0.1f));
    EXPECT_EQ(trial.verdict().empty(), times < 4) << trial.verdict();
  }
}

TEST(JudgeOfMeans, AConstantColumnHasTheScaleOfTheOthers) {
  for (const float apart : {1.0f, 1e-5f}) {
    JudgedTrial<float> trial{.points = {-apart, 0.1f, apart, 0.1f},
                             .solution = {.labels = {0, 0}, .assigned_centroids = {0, 0.1f}, .centroids = {0, 0.1f + 7 * 0x1p-27f}, .iters = 1},
                             .d = 2};
    EXPECT_EQ(trial.verdict(), "");
    EXPECT_EQ(trial.judged().grade, apart == 1 ? Grade::rounded : Grade::coarse) << apart;
  }
}

/// What a mean of many points rounded, a mean of the few that are left inherits.
TEST(JudgeOfMeans, IncrementalMeansKeepWhatTheyRounded) {
  for (const bool incremental : {false, true}) {
    constexpr float first = 7e5f, second = 7e5f + 100;
    auto trial = on_a_line<float>(std::vector<float>(1000, first), Labels(1000, 0), {first, second}, {first, second + 3});
    trial.points[0] = trial.points[1] = second;
    trial.solution.labels[0] = trial.solution.labels[1] = 1;
    trial.description.incremental = [=](const Config&) { return incremental; };
    EXPECT_EQ(trial.verdict().empty(), incremental) << trial.verdict();
    trial.solution.centroids[0] += 100;
    EXPECT_PRED2(says, trial.verdict(), "rounding explains") << "998 points keep less";
  }
}

TEST(JudgeOfMeans, TheBoundFollowsThePointsAndNotTheMean) {
  auto trial = on_a_line<float>({1e6f, -1e6f, 1, 1}, {0, 0, 0, 0}, {0}, {0.5f});
  EXPECT_EQ(trial.verdict(), "");
  trial.solution.centroids[0] = 0.4f;  // cancellation of a million leaves that much
  EXPECT_EQ(trial.verdict(), "");
  trial.solution.centroids[0] = 5;
  EXPECT_PRED2(says, trial.verdict(), "rounding explains");
}

/// 2 u mean|x| (√m + 4) of four points is 12 u: six steps above 1.
TEST(JudgeOfMeans, TheBoundIsThatOfRandomSigns) {
  for (const int steps : {6, 7}) {
    const std::string verdict = on_a_line<float>({1, 1, 1, 1}, {0, 0, 0, 0}, {1}, {1 + float(steps) * 0x1p-23f}).verdict();
    EXPECT_EQ(verdict.empty(), steps == 6) << verdict;
  }
}

/// Small values are lost one by one after a great one: four times that error is beyond what a sum of m values can lose, 2 u mean|x| (m + 2).
TEST(JudgeOfMeans, NoSumLosesMoreThanItsAdditionsRound) {
  constexpr int m = 20;
  constexpr double u = 0x1p-24, unit = 2 * u;
  auto trial = on_a_line<float>(std::vector<float>(m, float(0.98 * u)), Labels(m, 0), {}, {});
  trial.points[0] = 1;
  const double mean = (1 + (m - 1) * double(trial.points[1])) / m;
  for (const double share : {0.98, 1.02}) {
    trial.solution.assigned_centroids = trial.solution.centroids = {float(mean * (1 + share * unit * (m + 2)))};
    EXPECT_EQ(trial.verdict().empty(), share < 1) << trial.verdict();
  }
}

TEST(JudgeOfMeans, FixedPointLosesTwoFp64RoundingsOfTheGreatestValue) {
  constexpr double greatest = 0x1p40, mean = 0x1p-40, lost = 0x1p-52 * greatest;
  auto trial = on_a_line<double>({mean, mean, greatest, greatest}, {0, 0, 1, 1}, {0, greatest}, {mean + lost, greatest});
  trial.description.fixed_point = true;
  EXPECT_EQ(trial.verdict(), "");
  EXPECT_NE(trial.judged().grade, Grade::exact) << "the line says that the mean is off";
  trial.solution.centroids[0] = mean + 1.01 * lost;
  EXPECT_PRED2(says, trial.verdict(), "rounding explains");
  trial.solution.centroids[0] = mean + lost;
  trial.description.fixed_point = false;
  EXPECT_PRED2(says, trial.verdict(), "rounding explains") << "sums in floating point keep small values";
}

TEST(JudgeOfMeans, CentredPointsLoseARoundingOfTheMeanOfAll) {
  constexpr float mean_of_all = 0x1p20f, lost = 4 * 0x1p-24f * mean_of_all;
  auto trial = on_a_line<float>({0, 0, 2 * mean_of_all, 2 * mean_of_all}, {0, 0, 1, 1}, {0, 2 * mean_of_all}, {lost, 2 * mean_of_all});
  EXPECT_PRED2(says, trial.verdict(), "rounding explains") << "sums of zeros are exact";
  trial.description.centred = true;
  EXPECT_EQ(trial.verdict(), "");
  trial.solution.centroids[0] = 4 * lost;
  EXPECT_PRED2(says, trial.verdict(), "rounding explains");
}

TEST(JudgeOfMeans, PlainSumsOfCentredPointsRoundAlike) {
  constexpr int n = 1 << 16;
  auto trial = on_a_line<float>(std::vector<float>(n), Labels(n, 0), {}, {});
  float sum = 0;  // of the first half less the mean of all, 50.5: the same rounding again and again
  for (int i = 0; i < n; ++i) {
    trial.points[i] = i < n / 2 ? 0.1f : 100.9f, trial.solution.labels[i] = i < n / 2 ? 0 : 1;
    if (i < n / 2) sum += trial.points[i] - 50.5f;
  }
  const float lossy = sum / (n / 2) + 50.5f;
  trial.solution.assigned_centroids = trial.solution.centroids = {lossy, 100.9f};
  EXPECT_PRED2(says, trial.verdict(), "rounding explains");
  trial.description.centred = true;
  EXPECT_EQ(trial.verdict(), "");
}

TEST(JudgeOfMeans, KeptSumsLoseWhatGreaterPointsLeftBehind) {
  constexpr double greatest = 0x1p40, mean = 0x1p-40, lost = 8 * 0x1p-53 * greatest * std::sqrt(2 * 4.0) / 2;  // 8 points, 4 of them moved in and out
  auto trial = on_a_line<double>({mean, mean, greatest, greatest}, {0, 0, 1, 1}, {0, greatest}, {mean + lost, greatest});
  EXPECT_PRED2(says, trial.verdict(), "rounding explains") << "sums that start anew lose nothing";
  trial.description.kept_points = [](const ProblemShape&, const Config&) -> std::int64_t { return 8; };
  EXPECT_EQ(trial.verdict(), "");
  trial.solution.centroids[0] = mean + 1.01 * lost;
  EXPECT_PRED2(says, trial.verdict(), "rounding explains");
}

}  // namespace
}  // namespace km

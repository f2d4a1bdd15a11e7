// The judge gives each error its sentence and right answers none, and tells rounding of labels from error. judge_means_test.cpp has means,
// tests/python/test_faults.py has planted faults.
#include <cmath>

#include "bench/data/dataset.hpp"
#include "bench/judge/draws.hpp"
#include "bench/run/truth.hpp"
#include "tests/judged_trial.hpp"

namespace km {
namespace {

/// Two points left, two right, one centroid each, and one far away with none.
template <class T>
JudgedTrial<T> two_groups() {
  return {.points = {0, 0, 2, 0, 10, 0, 12, 0},
          .solution = {.labels = {0, 0, 1, 1}, .assigned_centroids = {0, 0, 10, 0, 99, 99}, .centroids = {1, 0, 11, 0, 99, 99}, .iters = 1},
          .d = 2};
}

template <class T>
class JudgeOfAnswers : public ::testing::Test {};
TYPED_TEST_SUITE(JudgeOfAnswers, Precisions);

TYPED_TEST(JudgeOfAnswers, ARightAnswerHasNoVerdict) {
  const auto judgement = two_groups<TypeParam>().judged();
  EXPECT_EQ(judgement.verdict, "");
  EXPECT_DOUBLE_EQ(judgement.inertia, 4);
  EXPECT_EQ(judgement.wrong_labels, 0);
  EXPECT_EQ(judgement.judged_points, 4);
  EXPECT_EQ(judgement.mean_error, 0);
  EXPECT_EQ(judgement.cluster_sizes, (std::vector<std::int64_t>{2, 2, 0}));
}

TYPED_TEST(JudgeOfAnswers, InertiaIsOverEveryDimension) {
  JudgedTrial<TypeParam> trial{.points = {0, 0, 3, 4},
                               .solution = {.labels = {0, 0}, .assigned_centroids = {0, 0}, .centroids = {1.5, 2}, .iters = 1},
                               .d = 2};
  EXPECT_DOUBLE_EQ(trial.judged().inertia, 12.5);
}

TYPED_TEST(JudgeOfAnswers, SizesAndIterations) {
  auto short_labels = two_groups<TypeParam>();
  short_labels.solution.labels.pop_back();
  EXPECT_EQ(short_labels.verdict(), "3 labels for 4 points");
  auto short_centroids = two_groups<TypeParam>();
  short_centroids.solution.assigned_centroids.clear();
  EXPECT_NE(short_centroids.verdict(), "");
  auto iterations = two_groups<TypeParam>();
  for (const int iters : {0, 2, -1}) {
    iterations.solution.iters = iters;
    EXPECT_PRED2(says, iterations.verdict(), "iterations where exactly 1 were asked for");
  }
  iterations.problem.tolerance = 0;
  EXPECT_PRED2(says, iterations.verdict(), "at most 1");
}

TYPED_TEST(JudgeOfAnswers, UnwrittenOutputs) {
  auto trial = two_groups<TypeParam>();
  trial.verdict();  // fills in the shape
  trial.solution.poison(trial.problem);
  EXPECT_EQ(trial.solution.labels, Labels(4, no_label - 1));
  trial.solution.iters = 1;
  EXPECT_EQ(trial.verdict(), "centroid 0, dimension 0 is nan");
  auto labels = two_groups<TypeParam>();
  labels.solution.labels[2] = no_label - 1;
  EXPECT_EQ(labels.verdict(), "point 2 has label -2: labels are 0 to 2");
  labels.solution.labels[2] = 3;
  EXPECT_EQ(labels.verdict(), "point 2 has label 3: labels are 0 to 2");
  auto infinite = two_groups<TypeParam>();
  infinite.solution.centroids[3] = std::numeric_limits<TypeParam>::infinity();
  EXPECT_EQ(infinite.verdict(), "centroid 1, dimension 1 is inf");
  auto assigned = two_groups<TypeParam>();
  assigned.solution.assigned_centroids[3] = NAN;
  EXPECT_EQ(assigned.verdict(), "centroid 1, dimension 1 is nan");
}

TYPED_TEST(JudgeOfAnswers, WrongMean) {
  auto trial = two_groups<TypeParam>();
  trial.solution.centroids[2] = TypeParam(11.001);
  EXPECT_PRED2(says, trial.verdict(), "centroid 1, dimension 0 is 11.001");
  EXPECT_PRED2(says, trial.verdict(), "mean of its 2 points is 11");
  EXPECT_NEAR(trial.judged().mean_error, 0.001, 1e-6);
}

TYPED_TEST(JudgeOfAnswers, EmptyClusterThatMoved) {
  auto trial = two_groups<TypeParam>();
  trial.solution.centroids[4] = 98;
  EXPECT_EQ(trial.verdict(), "centroid 2 has no points and moved: dimension 0 from 99 to 98");
}

TYPED_TEST(JudgeOfAnswers, WrongLabelWhoseMeanAgrees) {
  auto trial = two_groups<TypeParam>();
  trial.solution.labels[1] = 1;
  trial.solution.centroids = {0, 0, 8, 0, 99, 99};
  EXPECT_PRED2(says, trial.verdict(), "point 1 has label 1 (distance² 64) but centroid 0 is nearer (4); 1 of 4 judged labels are wrong");
  EXPECT_EQ(trial.judged().wrong_labels, 1);
}

TYPED_TEST(JudgeOfAnswers, LabelsAreJudgedByTheCentroidsThatAssignUsed) {
  auto trial = two_groups<TypeParam>();
  trial.solution.assigned_centroids = {0, 0, 3, 0, 99, 99};  // point 1 is nearer to the second one
  EXPECT_PRED2(says, trial.verdict(), "point 1 has label 0");
}

/// Point 1 lies halfway between centroids 0 and 2; it is given to `label`.
template <class T>
JudgedTrial<T> tie(int label) {
  auto trial = on_a_line<T>({0, 1, 2}, {0, label, 1}, {0, 2}, {0, 2});
  trial.solution.centroids[label] = label == 0 ? T(0.5) : T(1.5);
  return trial;
}

TYPED_TEST(JudgeOfAnswers, ATieThatNoRoundingHidesGoesToTheLowestIndex) {
  EXPECT_EQ(tie<TypeParam>(0).judged().verdict, "");
  EXPECT_EQ(tie<TypeParam>(0).judged().grade, Grade::exact);
  const auto broken = tie<TypeParam>(1).judged();
  EXPECT_EQ(broken.verdict,
            "point 1 has label 1 but centroid 0 is at the same distance² (1) and has the lower index; 1 of 3 judged labels break a tie so");
  EXPECT_EQ(broken.wrong_labels, 0) << "an exact tie is not a wrong label";
  auto expanded = tie<TypeParam>(1);
  expanded.description.distance = Distance::expansion;  // may round equal distances differently
  EXPECT_EQ(expanded.judged().verdict, "");
  EXPECT_EQ(expanded.judged().tied_labels, 1);
  EXPECT_EQ(expanded.judged().grade, Grade::rounded);
}

TYPED_TEST(JudgeOfAnswers, ATieWithinRoundingIsCountedAndAccepted) {
  const TypeParam below_one = std::nextafter(TypeParam(1), TypeParam(0));
  const auto judgement = on_a_line<TypeParam>({0.5, 0.5, 1}, {0, 0, 1}, {0, below_one}, {0.5, 1}).judged();
  EXPECT_EQ(judgement.verdict, "");
  EXPECT_EQ(judgement.wrong_labels, 2);
}

TEST(JudgeOfLabels, Tf32IsHeldToWhatItsProductsTellAndIsCoarse) {
  auto trial = on_a_line<float>({100}, {1}, {99, 101.25f, 120}, {99, 100, 120});
  trial.description.distance = Distance::expansion;
  EXPECT_PRED2(says, trial.verdict(), "point 0 has label 1") << "fp32 tells these apart";
  trial.description.distance = Distance::expansion_tf32;
  EXPECT_EQ(trial.verdict(), "");
  EXPECT_EQ(trial.judged().wrong_labels, 1);
  EXPECT_EQ(trial.judged().grade, Grade::coarse);
  trial.solution = {.labels = {2}, .assigned_centroids = {99, 101.25f, 120}, .centroids = {99, 101.25f, 100}, .iters = 1};
  EXPECT_PRED2(says, trial.verdict(), "point 0 has label 2") << "and TF32 these";
}

TEST(JudgeOfLabels, TheExpansionRoundsMoreFarFromTheOrigin) {
  auto trial = on_a_line<float>({1000.5f}, {0}, {1000.0f, 1000.99f}, {1000.5f, 1000.99f});
  EXPECT_PRED2(says, trial.verdict(), "point 0 has label 0");
  trial.description.distance = Distance::expansion;
  EXPECT_EQ(trial.verdict(), "");
  EXPECT_EQ(trial.judged().wrong_labels, 1);
  trial.solution.assigned_centroids[0] = 990.0f;  // further than any rounding
  EXPECT_PRED2(says, trial.verdict(), "point 0 has label 0");
}

TEST(JudgeOfLabels, TheirExcessIsFiniteWhereAllPointsLieOnCentroids) {
  const float next = std::nextafter(1000.0f, 2000.0f);
  auto trial = on_a_line<float>({1000, next, 0}, {1, 1, 2}, {1000, next, 0}, {1000, next, 0});
  trial.description.distance = Distance::expansion;
  const auto judgement = trial.judged();
  EXPECT_EQ(judgement.verdict, "");
  EXPECT_EQ(judgement.wrong_labels, 1);
  EXPECT_NEAR(judgement.label_excess * 2e6 / 3, 0x1p-28, 1e-15) << "ulp² over the distances² to their mean";
}

/// Point i is the corner that its cluster i % k has: n k d is beyond the budget for looking at every label.
struct Corners : JudgedTrial<float> {
  static constexpr std::int64_t n = 150'000;
  static constexpr int k = 64;

  Corners() : JudgedTrial<float>{.points = std::vector<float>(n * k), .solution = {}, .d = k} {
    solution = {.labels = Labels(n, 0), .assigned_centroids = std::vector<float>(k * k), .centroids = {}, .iters = 1};
    for (std::int64_t i = 0; i < n; ++i) points[i * k + i % k] = 1, solution.labels[i] = std::int32_t(i % k);
    for (int c = 0; c < k; ++c) solution.assigned_centroids[c * k + c] = 1;
    solution.centroids = solution.assigned_centroids;
  }
  /// Gives the chosen points of cluster 0 to cluster 1, whose mean agrees.
  void move(auto chosen) {
    double moved = 0;
    for (std::int64_t i = 0; i < n; i += k)
      if (chosen(i)) solution.labels[i] = 1, ++moved;
    const double both = moved + double((n - 2) / k + 1);
    solution.centroids[k] = float(moved / both), solution.centroids[k + 1] = float((both - moved) / both);
  }
};

TEST(JudgeOfLabels, LargeProblemsAreSampled) {
  Corners corners;
  const auto right = corners.judged();
  EXPECT_EQ(right.verdict, "");
  EXPECT_GE(right.judged_points, device::available() ? corners.n : 100'000);
  EXPECT_LE(right.judged_points, device::available() ? corners.n : corners.n - 1);
  corners.move([](std::int64_t) { return true; });
  const auto wrong = corners.judged();
  EXPECT_PRED2(says, wrong.verdict, "has label 1 (distance² 2) but centroid 0 is nearer (0)");
  EXPECT_NEAR(double(wrong.wrong_labels) / double(wrong.judged_points), 1.0 / corners.k, 0.002);
}

TEST(JudgeOfLabels, WhoForeseesTheSampleKnowsOneSeedAlone) {
  Corners corners;
  std::mt19937_64 random(7 + corners.n);
  const auto foreseen = spread_sample(corners.n, std::int64_t(label_budget / (corners.k * corners.k)), random);
  corners.move([&](std::int64_t i) { return !std::ranges::binary_search(foreseen, i); });  // where the judge of seed 7 does not look
  judge_seed() = 7;
  if (!device::available()) {
    EXPECT_EQ(corners.judged().verdict, "");
  }
  judge_seed() = 8;
  EXPECT_PRED2(says, corners.judged().verdict, "has label 1 (distance² 2) but centroid 0 is nearer (0)");
}

TEST(JudgeOfLabels, ProductsOfCentredPointsRoundWithTheirDistanceFromTheMeanOfAll) {
  constexpr float mean = 64;
  constexpr double bound = 4 * (1 + 4) * 0x1p-24 * (2 * mean * mean + (mean - 1) * (mean - 1) + (mean + 1) * (mean + 1) + 2);
  for (const double share : {0.98, 1.02}) {
    const float other = -1 - float(share * bound / 2);  // distances² of 0 differ by share * bound
    auto trial = on_a_line<float>({0, 2 * mean}, {1, 2}, {1, other, 2 * mean}, {1, 0, 2 * mean});
    trial.description.distance = Distance::expansion;
    EXPECT_PRED2(says, trial.verdict(), "but centroid 0 is nearer") << "products of small values are good";
    trial.description.centred = true;
    EXPECT_EQ(trial.verdict().empty(), share < 1) << trial.verdict();
  }
}

TEST(JudgeOfLabels, ProductsOfCentredPointsAreGoodFarFromZero) {
  constexpr float far = 1e4;
  auto trial = on_a_line<float>({far, far + 2}, {1, 1}, {far - 1, far + 3}, {far - 1, far + 1});
  trial.description.distance = Distance::expansion;
  EXPECT_EQ(trial.verdict(), "");
  trial.description.centred = true;
  EXPECT_PRED2(says, trial.verdict(), "has label 1 (distance² 9) but centroid 0 is nearer (1)");
}

TEST(CentroidError, IsTheMeanAbsoluteDifferenceToTheNearestIdeal) {
  const std::vector<double> ideal = {0, 0, 10, 10};
  EXPECT_EQ(centroid_error<float>({10, 10, 0, 0}, ideal, 2), 0) << "in any order";
  EXPECT_DOUBLE_EQ(centroid_error<double>({10.5, 10, 0, -0.3}, ideal, 2), 0.2);
  EXPECT_DOUBLE_EQ(centroid_error<double>({0, 1, 1, 0}, ideal, 2), 0.5) << "two may share one ideal";
}

// ---- grades ----

/// Points on a line at `offset`, two centroids, of every `wrong_every`-th point the wrong label by a hair.
Judgement judged_line(float offset, int wrong_every) {
  constexpr int n = 40'000;
  auto trial = on_a_line<float>(std::vector<float>(n), Labels(n, 0), {offset, offset + 2}, {0, 0});
  double sums[2] = {}, counts[2] = {};
  for (int i = 0; i < n; ++i) {
    const bool near_middle = wrong_every > 0 && i % wrong_every == 0;
    trial.points[i] = near_middle ? std::nextafter(offset + 1, offset) : i % 2 ? offset + 2.25f : offset - 0.25f;
    const int label = near_middle || i % 2;  // those near the middle belong to the left one
    trial.solution.labels[i] = label;
    sums[label] += double(trial.points[i]);
    ++counts[label];
  }
  for (int c = 0; c < 2; ++c) trial.solution.centroids[c] = float(sums[c] / counts[c]);
  return trial.judged();
}

TEST(Grades, ExactRoundedCoarse) {
  EXPECT_EQ(judged_line(1, 0).grade, Grade::exact);
  const auto few = judged_line(1, 20'000);
  EXPECT_EQ(few.verdict, "");
  EXPECT_EQ(few.wrong_labels, 2);
  EXPECT_EQ(few.grade, Grade::rounded) << "5e-5 of the labels";
  EXPECT_EQ(judged_line(1, 10'000).grade, Grade::rounded) << "1e-4 of the labels";
  const auto many = judged_line(1, 1'000);
  EXPECT_EQ(many.verdict, "");
  EXPECT_EQ(many.wrong_labels, 40);
  EXPECT_EQ(many.grade, Grade::coarse) << "1e-3 of the labels";
}

TEST(Grades, AMeanIsJudgedInDeviationsOfItsDimension) {
  auto trial = on_a_line<float>(std::vector<float>(200'000), Labels(200'000, 0), {1e4f}, {});
  double sum = 0;
  for (std::size_t i = 0; i < trial.points.size(); ++i) sum += double(trial.points[i] = 1e4f + float(i % 100) * 0.01f);
  const double mean = sum / double(trial.points.size());
  trial.solution.centroids = {float(mean)};
  EXPECT_EQ(trial.judged().grade, Grade::exact);
  trial.solution.centroids[0] = float(mean) + 0.01f;  // ten roundoffs of 1e4: rounding explains it, yet it is 0.03 deviations
  EXPECT_EQ(trial.verdict(), "");
  EXPECT_EQ(trial.judged().grade, Grade::coarse);
  EXPECT_NEAR(trial.judged().mean_offset, 0.01 / 0.2887, 0.005);
}

TEST(Grades, LiesOfTheOldBoundAreWrongNow) {
  auto trial = on_a_line<float>(std::vector<float>(1'000'000), Labels(1'000'000, 0), {1}, {});
  double sum = 0;
  for (std::size_t i = 0; i < trial.points.size(); ++i) sum += double(trial.points[i] = 1 + float(i % 1000) * 0.001f);
  const double mean = sum / 1e6;
  trial.solution.centroids = {float(mean)};
  ASSERT_EQ(trial.verdict(), "");
  for (const double lie : {0.0, mean * 1.001, mean * 1e6 / (1e6 - 1000)}) {
    trial.solution.centroids[0] = float(lie);
    EXPECT_PRED2(says, trial.verdict(), "rounding explains") << lie;
  }
}

}  // namespace
}  // namespace km

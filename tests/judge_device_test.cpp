// The judge's GPU half finds the same as plain host loops. Skips without a GPU.
#include "bench/judge/errors.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "tests/solving.hpp"

namespace km {
namespace {

template <class T>
struct Clustered {
  Clustered(std::int64_t n, int d, int k) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> value(-3, 5);
    points.resize(n * d);
    centroids.resize(std::size_t(k) * d);
    for (auto& x : points) x = T(value(random));
    for (auto& x : centroids) x = T(value(random));
    problem = Problem<T>{{.n = n, .d = d, .k = k}, points, {}};
    for (std::int64_t i = 0; i < n; ++i) labels.push_back(nearest(i));
  }

  double distance(std::int64_t i, int c) const {
    double dist = 0;
    for (int j = 0; j < problem.d; ++j) {
      const double diff = double(points[i * problem.d + j]) - double(centroids[std::size_t(c) * problem.d + j]);
      dist += diff * diff;
    }
    return dist;
  }

  std::int32_t nearest(std::int64_t i) const {
    int best = 0;
    for (int c = 1; c < problem.k; ++c)
      if (distance(i, c) < distance(i, best)) best = c;
    return best;
  }

  std::pair<LabelCheck, ClusterSums> found() const {
    std::pair<LabelCheck, ClusterSums> found;
    EXPECT_TRUE(
        judge_on_device(problem, {.labels = labels, .assigned_centroids = centroids, .centroids = centroids}, {}, found.second, &found.first));
    return found;
  }

  Problem<T> problem;
  std::vector<T> points, centroids;
  Labels labels;
};

template <class T>
struct JudgeOnDevice : OnTheGpu {};
TYPED_TEST_SUITE(JudgeOnDevice, Precisions);

TYPED_TEST(JudgeOnDevice, CountsPlantedLabelsLikeTheHost) {
  Clustered<TypeParam> clustered(20'011, 5, 9);
  const LabelCheck right = clustered.found().first;
  EXPECT_EQ(right.judged, 20'011);
  EXPECT_EQ(right.wrong, 0);
  EXPECT_EQ(right.out_of_bound, 0);
  EXPECT_EQ(right.first.point, -1);

  for (const int i : {77, 5000, 20'010}) clustered.labels[i] = (clustered.labels[i] + 1) % 9;
  const LabelCheck wrong = clustered.found().first;
  EXPECT_EQ(wrong.out_of_bound, 3);
  EXPECT_EQ(wrong.first.point, 77);
  EXPECT_EQ(wrong.first.best, clustered.nearest(77));
  EXPECT_NEAR(wrong.first.dist, clustered.distance(77, clustered.labels[77]), 1e-9);
  EXPECT_NEAR(wrong.first.best_dist, clustered.distance(77, clustered.nearest(77)), 1e-9);
}

/// Many clusters and dimensions: products, or differences where these leave too many points in doubt.
TYPED_TEST(JudgeOnDevice, FindsPlantedLabelsByProducts) {
  for (const auto& [n, d, k, offset] : {std::tuple(20'011, 40, 150, 0), {5'003, 17, 64, 0}, {2'000, 128, 257, 3}, {4'001, 33, 100, 1 << 20}}) {
    Clustered<TypeParam> clustered(n, d, k);
    for (auto* values : {&clustered.points, &clustered.centroids})
      for (TypeParam& x : *values) x += TypeParam(offset);
    for (int i = 0; i < n; ++i) clustered.labels[i] = clustered.nearest(i);  // rounded anew
    const LabelCheck right = clustered.found().first;
    EXPECT_EQ(right.judged, n);
    EXPECT_EQ(right.wrong, 0);
    EXPECT_EQ(right.out_of_bound, 0);

    std::mt19937 random(n);
    double least = 0;
    for (int i = 0; i < n; ++i) least += clustered.distance(i, clustered.labels[i]);
    EXPECT_NEAR(right.least, least, 1e-9 * least);
    std::set<int> planted;
    while (planted.size() < 20) planted.insert(int(random() % n));
    for (const int i : planted) clustered.labels[i] = (clustered.labels[i] + 1 + random() % (k - 1)) % k;
    const LabelCheck wrong = clustered.found().first;
    EXPECT_EQ(wrong.wrong, 20);
    EXPECT_LE(wrong.first.point, *planted.rbegin());
  }
}

TYPED_TEST(JudgeOnDevice, ProductsLeaveTiesToTheHost) {
  Clustered<TypeParam> clustered(3'000, 32, 128);
  std::copy_n(clustered.centroids.begin() + 5 * 32, 32, clustered.centroids.begin() + 100 * 32);  // 100 is 5's twin
  for (int i = 0; i < 3'000; ++i) clustered.labels[i] = clustered.nearest(i);
  EXPECT_EQ(clustered.found().first.tied, 0);
  const auto of_five = std::ranges::count(clustered.labels, 5);
  std::ranges::replace(clustered.labels, 5, 100);
  ASSERT_GT(of_five, 0);
  EXPECT_EQ(clustered.found().first.broken_ties, of_five);
}

TYPED_TEST(JudgeOnDevice, SumsLikeTheHost) {
  for (const auto& [n, d, k] : {std::tuple(10'007, 3, 4), {10'007, 70, 90}, {63, 2, 65}}) {
    const Clustered<TypeParam> clustered(n, d, k);
    const ClusterSums sums = clustered.found().second;
    std::vector<double> expected(k * d), expected_abs(k * d);
    std::vector<std::int64_t> counts(k);
    double inertia = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const int c = clustered.labels[i];
      ++counts[c];
      inertia += clustered.distance(i, c);
      for (int j = 0; j < d; ++j) {
        expected[c * d + j] += double(clustered.points[i * d + j]);
        expected_abs[c * d + j] += std::abs(double(clustered.points[i * d + j]));
      }
    }
    EXPECT_EQ(sums.counts, counts);
    EXPECT_NEAR(sums.inertia, inertia, 1e-9 * inertia);
    for (int cell = 0; cell < k * d; ++cell) {
      EXPECT_NEAR(sums.cells[cell].sum, expected[cell], 1e-9 * expected_abs[cell]);
      EXPECT_LE(std::abs(sums.cells[cell].remainder), 1e-12 * expected_abs[cell]);
      EXPECT_NEAR(sums.cells[cell].of_abs, expected_abs[cell], 1e-9 * expected_abs[cell]);
    }
  }
}

/// The judge's findings with this much memory, in bytes.
template <class T>
std::pair<LabelCheck, ClusterSums> found_within(std::int64_t budget, const Clustered<T>& clustered) {
  set_judge_budget(budget);
  auto found = clustered.found();
  set_judge_budget(0);
  return found;
}

TYPED_TEST(JudgeOnDevice, FindsTheSameInChunks) {
  Clustered<TypeParam> clustered(2'011, 5, 9);
  for (const int i : {77, 500, 2'010}) clustered.labels[i] = (clustered.labels[i] + 1) % 9;
  const auto [labels, sums] = found_within(0, clustered);
  for (const std::int64_t budget : {1, 3'000, 60'000}) {  // a point, a few dozen, several hundred at a time
    const auto [labels_in_chunks, sums_in_chunks] = found_within(budget, clustered);
    EXPECT_EQ(labels_in_chunks.judged, 2'011);
    EXPECT_EQ(labels_in_chunks.out_of_bound, 3);
    EXPECT_EQ(labels_in_chunks.first.point, 77);
    EXPECT_EQ(labels_in_chunks.first.best, labels.first.best);
    EXPECT_NEAR(labels_in_chunks.least, labels.least, 1e-12 * labels.least);
    EXPECT_EQ(sums_in_chunks.counts, sums.counts);
    EXPECT_NEAR(sums_in_chunks.inertia, sums.inertia, 1e-12 * sums.inertia);
    for (int cell = 0; cell < 45; ++cell)
      EXPECT_NEAR(sums_in_chunks.cells[cell].sum + sums_in_chunks.cells[cell].remainder, sums.cells[cell].sum + sums.cells[cell].remainder,
                  1e-12 * sums.cells[cell].of_abs);
  }
}

TYPED_TEST(JudgeOnDevice, AutoDeclaresTheGreatestDepthOfItsCandidates) {
  const auto depth = [](std::string_view name, const ProblemShape& p) {
    const Description& its = named(name).description;
    return summation_depth(its, p, defaults(its));
  };
  const ProblemShape small{.n = 1'000'000, .d = 4, .k = 4}, wide{.n = 1'000'000, .d = 64, .k = 64};
  EXPECT_GE(depth("gpu/lloyd/auto", small), depth("gpu/lloyd/resident", small));
  for (const ProblemShape& p : {small, wide}) EXPECT_LT(depth("gpu/lloyd/auto", p), p.n) << p.d << " dimensions";
}

}  // namespace
}  // namespace km

// cpu/lloyd/sorted, tree and distinct_tree, gpu/lloyd/boxes: random problems of one dimension, or of a few, have exact labels and means, whatever the
// number of threads or the size of a box. Sums that cancel or vary widely are as exact as others. In one dimension auto takes sorted. Tests of the GPU
// are skipped where there is none.
#include <cmath>

#include "bench/base/exact.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

template <class T>
struct FewDimensions : ::testing::Test {
  std::mt19937 random{17};
  int below(int limit) { return std::uniform_int_distribution(0, limit - 1)(random); }
  double between(double low, double high) { return std::uniform_real_distribution(low, high)(random); }

  static constexpr int varied = 2;  // integers do not have its range
  /// Spread evenly, ties and duplicates, magnitudes from 1e-12 to 1e12, far from zero, or in two heaps whose sums cancel.
  double value(int kind) {
    switch (kind) {
      case 0: return between(0, 1);
      case 1: return below(11) - 5;
      case varied: return std::pow(10.0, between(-12, 12)) * (below(2) ? 1 : -1);
      case 3: return 1e4 + between(0, 1);
      default: return (below(2) ? 1e6 : -1e6) * (1 + between(-1e-6, 1e-6));
    }
  }

  /// 150 problems. widest: dimensions at most; parameters: drawn for each.
  void expect_exact(const std::string& name, int widest, auto parameters) {
    for (int draw = 0; draw < 150; ++draw) {
      const int kind = draw % 5, n = std::vector{1, 2, 37, 1000, 25'000}[draw / 5 % 5], k = 1 + below(std::min(n, 60));
      const int d = 1 + below(n > 1000 ? std::min(widest, 3) : widest);
      const bool to_rest = below(2);
      const Drawn<T> drawn({.n = n, .d = d, .k = k, .max_iters = to_rest ? 100 : 4, .tolerance = to_rest ? 0.0 : -1.0}, [&] { return value(kind); });
      const ParameterValues values = parameters();
      const auto made = solve(drawn.problem, name, values);
      const auto found = judge(drawn.problem, made, named(name).description, config_of(named(name), values));
      EXPECT_EQ(found.verdict, "") << name << ", draw " << draw;
      if (kind != varied || !named(name).description.fixed_point) {
        EXPECT_EQ(found.grade, Grade::exact) << name << ", draw " << draw;
      }
      if (sizeof(T) == 4 && kind < 2) {
        EXPECT_EQ(made.iters, solve(drawn.problem, "cpu/lloyd/reference").iters) << name << ", draw " << draw;
      }
    }
  }
};
TYPED_TEST_SUITE(FewDimensions, Precisions);

TYPED_TEST(FewDimensions, HaveExactLabelsAndMeans) {
  const auto threads = [this] { return ParameterValues{{"threads", std::int64_t(this->below(4))}}; };
  this->expect_exact("cpu/lloyd/sorted", 1, threads);
  this->expect_exact("cpu/lloyd/tree", 8, threads);
  this->expect_exact("cpu/lloyd/distinct_tree", 8, threads);
}

template <class T>
struct FewDimensionsOnTheGpu : FewDimensions<T> {
  void SetUp() override {
    if (!device::available()) GTEST_SKIP() << device::unavailable();
  }
  std::int64_t one_of(std::vector<std::int64_t> values) { return values[this->below(int(values.size()))]; }
  ParameterValues boxes() { return {{"bucket", one_of({32, 48, 64, 256})}, {"group", one_of({1, 3, 32})}, {"grid", one_of({1, 3, 132})}}; }
};
TYPED_TEST_SUITE(FewDimensionsOnTheGpu, Precisions);

TYPED_TEST(FewDimensionsOnTheGpu, HaveExactLabelsAndMeans) {
  this->expect_exact("gpu/lloyd/boxes", 8, [this] { return this->boxes(); });
}

/// Rows of a pool, so that points repeat; more centroids than a warp has lanes.
TYPED_TEST(FewDimensionsOnTheGpu, GiveTheSameBitsWhateverTheBoxes) {
  for (const int d : {1, 2, 3, 5, 8})
    for (const int k : {3, 150}) {
      const int rows = 5000;
      std::vector<double> pool(rows * d);
      for (double& value : pool) value = this->below(2) ? this->below(9) : this->between(0, 9);
      std::size_t at = 0;
      const Drawn<TypeParam> drawn({.n = 60'000, .d = d, .k = k, .max_iters = 30}, [&] {
        if (at % d == 0) at = std::size_t(this->below(rows)) * d;
        return pool[at++];
      });
      const auto expected = solve(drawn.problem, "gpu/lloyd/boxes");
      const std::string what = std::to_string(d) + " dimensions, k = " + std::to_string(k);
      for (int draw = 0; draw < 4; ++draw) expect_same_bits(solve(drawn.problem, "gpu/lloyd/boxes", this->boxes()), expected, what);
      expect_same_bits(solve(drawn.problem, "gpu/lloyd/distinct"), expected, what + ", distinct");
      expect_same_bits(expected, solve(drawn.problem, "gpu/hamerly/neighbours"), what + ", neighbours");
    }
}

/// Boxes of one block that exceed its shared memory.
TYPED_TEST(FewDimensionsOnTheGpu, GiveTheSameBitsWhereBoxesDoNotFit) {
  const Drawn<TypeParam> drawn({.n = 200'000, .d = 8, .k = 20, .max_iters = 10}, [&] { return this->between(0, 1); });
  const ParameterValues one_block = {{"bucket", std::int64_t(32)}, {"grid", std::int64_t(1)}};
  expect_same_bits(solve(drawn.problem, "gpu/lloyd/boxes", one_block), solve(drawn.problem, "gpu/lloyd/boxes"), "one block");
}

/// Points within some roundings of the plane half way between two centroids, some of them often enough to fill a leaf.
TYPED_TEST(FewDimensions, DecideWhatRoundingCannot) {
  using T = TypeParam;
  for (const int d : {1, 2, 3, 5}) {
    std::vector<T> start, points;
    for (int j = 0; j < 2 * d; ++j) start.push_back(T(this->between(-1, 1)));
    while (std::ssize(points) < 12'800 * d) {
      std::vector<T> x(d);
      double off = 0, along = 0;
      for (int j = 0; j < d; ++j) {
        const double difference = double(start[d + j]) - double(start[j]);
        x[j] = T(this->between(-1, 1));
        off += (double(x[j]) - 0.5 * (double(start[j]) + double(start[d + j]))) * difference, along += difference * difference;
      }
      for (int j = 0; j < d; ++j) x[j] -= T(off / along * (double(start[d + j]) - double(start[j])));
      for (int copy = this->below(2) ? 1 : 128; copy > 0; --copy) points.insert(points.end(), x.begin(), x.end());
    }
    const Problem<T> problem{{.n = std::ssize(points) / d, .d = d, .k = 2, .max_iters = 1}, points, start};
    const auto labels = solve(problem, "cpu/lloyd/tree").labels;
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < problem.n; ++i) wrong += labels[i] != (compare_distances(&points[i * d], &start[0], &start[d], d) > 0);
    EXPECT_EQ(wrong, 0) << d << " dimensions";
  }
}

TYPED_TEST(FewDimensions, AreWhatAutoTakesInOneDimension) {
  for (const int d : {1, 2}) {
    const Drawn<TypeParam> drawn({.n = 3000, .d = d, .k = 5, .max_iters = 3}, uniform(7, 0.0, 1.0));
    Trace trace(true);
    const auto made = solve(drawn.problem, "cpu/lloyd/auto", {}, trace);
    double choice = 0;
    for (const double one : trace.counters().at("choice")) choice += one / made.iters;
    EXPECT_EQ(choice == 109, d == 1);
  }
}

/// The judge lets a run from other rows take longer by the share of distances that others skip.
TYPED_TEST(FewDimensions, CountOneBoxWhereAClusterHasAllPoints) {
  std::vector<TypeParam> points(4000), start = {0, 0};
  for (TypeParam& value : points) value = TypeParam(this->between(0, 1));
  for (int c = 1; c < 50; ++c) start.insert(start.end(), {TypeParam(1000 * c), TypeParam(1000)});
  for (const std::string name : {"cpu/lloyd/tree", "cpu/lloyd/distinct_tree"}) {
    Trace trace(true);
    solve(Problem<TypeParam>{{.n = 2000, .d = 2, .k = 50, .max_iters = 3}, points, start}, name, {}, trace);
    EXPECT_EQ(trace.counters().at("distances"), (std::vector<double>{50, 50, 50})) << name;
  }
}

TYPED_TEST(FewDimensions, CountEqualCentroidsOnce) {
  std::vector<TypeParam> points(4000);
  for (TypeParam& value : points) value = TypeParam(this->between(0, 1));
  const auto distances = [&](int copies) {
    std::vector<TypeParam> start;
    for (int copy = 0; copy < copies; ++copy) start.insert(start.end(), {0, 0, 1, 1});
    Trace trace(true);
    const Problem<TypeParam> problem{{.n = 2000, .d = 2, .k = 2 * copies, .max_iters = 1}, points, start};
    const Implementation& tree = named("cpu/lloyd/tree");
    EXPECT_EQ(judge(problem, solve(problem, "cpu/lloyd/tree", {}, trace), tree.description, config_of(tree, {})).grade, Grade::exact);
    return trace.counters().at("distances");
  };
  EXPECT_EQ(distances(20), distances(1));
}

}  // namespace
}  // namespace km

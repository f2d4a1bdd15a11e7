// cpu/yinyang: safe bounds, labels of exact Lloyd's after hundreds of iterations at any offset, means without a trace of outliers that left,
// counters; taylor2021's start.
#include <cmath>
#include <cstdlib>

#include "bench/data/catalogue.hpp"
#include "impl/cpu/yinyang/filtered.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

/// Uniform points: their clusters go on moving for hundreds of iterations.
template <class T>
struct Cube : Drawn<T> {
  Cube(std::int64_t n, int d, int k, double offset)
      : Drawn<T>({.n = n, .d = d, .k = k}, [offset, value = uniform(5, 0.0, 1.0)]() mutable { return offset + value(); }) {}
};

template <class T>
class Yinyang : public ::testing::Test {};
TYPED_TEST_SUITE(Yinyang, Precisions);

TYPED_TEST(Yinyang, IsExactForHundredsOfIterationsAtAnyOffset) {
  using T = TypeParam;
  for (const double offset : {0.0, 300.0, sizeof(T) == 4 ? 3e4 : 1e9}) {
    Cube<T> cube(2000, 5, 40, offset);
    for (const char* name : {"cpu/yinyang/group", "cpu/yinyang/global", "cpu/yinyang/local"})
      for (const int iters : {37, 300}) {
        cube.problem.max_iters = iters;
        const auto judgement = judged(cube.problem, name, {{"threads", 1}});
        EXPECT_EQ(judgement.verdict, "") << name << " offset " << offset << " iterations " << iters;
        EXPECT_EQ(judgement.grade, Grade::exact) << name << " offset " << offset << " iterations " << iters;
      }
  }
}

/// The judgement of cpu/yinyang/group with bounds that pay other shares of rounding and of movement.
template <class T>
Judgement filtered(const Problem<T>& problem, int groups, double widening, double moving = 1) {
  const Config config = config_of(named("cpu/yinyang/group"), {{"threads", 1}});
  Trace trace;
  const auto solution = solved(Filtered<T, Filters::two>(problem, config, groups, widening, moving), trace);
  return judge(problem, solution, named("cpu/yinyang/group").description, config);
}

/// Points on the middle between two centroids, but for rounding: what the nearer one is shows beyond T alone.
TYPED_TEST(Yinyang, NeedsItsBoundsWidened) {
  using T = TypeParam;
  constexpr int n = 40'000, d = 3;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<T> a(d), b(d), points, start;
  for (int j = 0; j < d; ++j) a[j] = T(normal(random)), b[j] = T(normal(random));
  for (int i = 0; i < n; ++i) {
    std::vector<double> away(d);
    double along = 0, length = 0;
    for (int j = 0; j < d; ++j) {
      const double step = double(b[j]) - double(a[j]);
      away[j] = normal(random);
      along += away[j] * step, length += step * step;
    }
    for (int j = 0; j < d; ++j) points.push_back(T((double(a[j]) + double(b[j])) / 2 + away[j] - along / length * (double(b[j]) - double(a[j]))));
  }
  start.insert(start.end(), a.begin(), a.end());
  start.insert(start.end(), b.begin(), b.end());
  const Problem<T> problem{{.n = n, .d = d, .k = 2, .max_iters = 1}, points, start};
  const auto is_exact = [&](double widening) {
    const Judgement judgement = filtered(problem, 1, widening);
    return judgement.verdict.empty() && judgement.wrong_labels == 0;
  };
  EXPECT_TRUE(is_exact(1));
  EXPECT_TRUE(is_exact(2.0 / 3));
  EXPECT_FALSE(is_exact(0.1));
}

TYPED_TEST(Yinyang, NeedsMoreThanNineTenthsOfTheMovement) {
  const Pulled<TypeParam> pulled;
  for (const int groups : {1, 2}) {
    EXPECT_EQ(filtered(pulled.problem, groups, 1).verdict, "") << groups << " groups";
    EXPECT_NE(filtered(pulled.problem, groups, 1, 0.9).verdict, "") << groups << " groups";
  }
}

TYPED_TEST(Yinyang, MeansForgetAnOutlierThatLeft) {
  using T = TypeParam;
  const std::vector<T> points = {T(1e30), T(0.1), T(0.2), T(0.4)};
  const Problem<T> problem{{.n = 4, .d = 1, .k = 2}, points, {}};
  MovedSums<T> sums(problem, 1);
  std::vector<T> centroids(2);
  std::vector<std::int32_t> labels = {0, 0, 0, 0};
  sums.update(std::vector<std::vector<Move>>{{{0, -1, 0}, {1, -1, 0}, {2, -1, 0}, {3, -1, 0}}}, labels, centroids, true);
  labels[0] = 1;
  sums.update(std::vector<std::vector<Move>>{{{0, 0, 1}}}, labels, centroids, false);
  EXPECT_EQ(centroids[0], T((double(points[1]) + double(points[2]) + double(points[3])) / 3));
  EXPECT_EQ(centroids[1], T(1e30));
}

TYPED_TEST(Yinyang, MeansForgetPointsOfAnyMagnitude) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    auto digit = uniform(seed, -1.0, 1.0), power = uniform(seed + 1000, -30.0, 17.0);
    Drawn<TypeParam> spread({.n = 300, .d = 2, .k = 3, .max_iters = 6}, [&] { return digit() * std::pow(10, power()); });
    EXPECT_EQ(judged(spread.problem, "cpu/yinyang/group", {{"threads", 1}}).verdict, "") << "seed " << seed;
  }
}

TYPED_TEST(Yinyang, CountsDistancesAndWhatPassesEachFilter) {
  using T = TypeParam;
  Cube<T> cube(3000, 4, 50, 0);
  cube.problem.max_iters = 30;
  const auto series = [&](const char* name) {
    Trace trace(true);
    solve(cube.problem, name, {}, trace);
    return trace.counters();
  };
  const auto group = series("cpu/yinyang/group"), global = series("cpu/yinyang/global"), local = series("cpu/yinyang/local");
  EXPECT_EQ(group.at("distances").at(0), 3000.0 * 50);
  for (int iter = 1; iter < 30; ++iter) {
    EXPECT_LE(group.at("past_global").at(iter), 3000);
    EXPECT_LE(group.at("past_global").at(iter), group.at("past_group").at(iter));
    EXPECT_LE(local.at("past_local").at(iter), local.at("distances").at(iter));
  }
  const auto total = [](const Trace::Series& counters) {
    double sum = 0;
    for (const double distances : counters.at("distances")) sum += distances;
    return sum;
  };
  EXPECT_LT(total(group), total(global));
  EXPECT_LT(total(local), total(global));
  EXPECT_LT(total(global), 3000.0 * 50 * 30);
}

TYPED_TEST(Yinyang, MakesMeansFromMeansAsPublishedAndSaysSo) {
  using T = TypeParam;
  Cube<T> cube(2000, 4, 10, 0);
  cube.problem.max_iters = 40;
  const auto& implementation = named("cpu/yinyang/group");
  const ParameterValues published = {{"update", "incremental"}};
  EXPECT_EQ(judged(cube.problem, implementation.name, published).verdict, "");
  EXPECT_NE(departure(implementation.description, config_of(implementation, published)), "");
  EXPECT_EQ(departure(implementation.description, config_of(implementation)), "");
}

TEST(YinyangBounds, RoundOutward) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> mantissa(-1, 1), exponent(-160, 128);
  for (int at = 0; at < 100'000; ++at) {
    const double value = std::ldexp(mantissa(random), int(exponent(random)));
    EXPECT_GE(double(rounded_up(value)), value);
    EXPECT_LE(double(rounded_down(value)), value);
  }
  EXPECT_EQ(rounded_down(1e300), most);
  EXPECT_EQ(rounded_up(-1e300), -most);
  EXPECT_EQ(rounded_up(1e300), std::numeric_limits<float>::infinity());
  for (const double unbounded : {stored_lower(INFINITY, 0), stored_lower(INFINITY, 3)}) EXPECT_EQ(unbounded, double(most));
}

TEST(YinyangBounds, StayWhereNoCentroidMoved) {
  Movement movement(1);
  movement.add(0, 0.1);
  const double total = movement.total(0);
  for (int step = 0; step < 3; ++step) movement.add(0, 0);
  EXPECT_EQ(movement.total(0), total);
}

TEST(YinyangBounds, HoldWhateverTheCentroidsMoved) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> value(0, 1);
  for (int run = 0; run < 300; ++run) {
    Movement movement(1);
    for (int at = 0; at < 20; ++at) movement.add(0, value(random));
    const double lower = 10 * value(random), upper = 10 * value(random);
    const float kept_lower = stored_lower(lower, movement.total(0)), kept_upper = stored_upper(upper, movement.total(0));
    long double moved = 0;
    for (int at = 0; at < 50; ++at) {
      const double step = std::ldexp(value(random), -at % 40);
      movement.add(0, step);
      moved += step;
      EXPECT_LE(static_cast<long double>(kept_lower) - movement.above()[0], lower - moved);
      EXPECT_GE(static_cast<long double>(kept_upper) + movement.above()[0], upper + moved);
    }
  }
}

template <class T>
void expect_radii_enclose(double offset) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> value(0, 1);
  for (const int d : {1, 3, 16, 45, 300}) {
    const Radius<T> radius(d);
    for (int run = 0; run < 200; ++run) {
      std::vector<T> x(d), c(d);
      long double dist = 0;
      for (int j = 0; j < d; ++j) {
        x[j] = T(offset + value(random)), c[j] = T(offset + value(random));
        const long double diff = static_cast<long double>(x[j]) - static_cast<long double>(c[j]);
        dist += diff * diff;
      }
      const T found = distance(x.data(), c.data(), d);
      EXPECT_LE(static_cast<long double>(radius.lower(found)), std::sqrt(dist)) << d;
      EXPECT_GE(static_cast<long double>(radius.upper(found)), std::sqrt(dist)) << d;
    }
  }
}
TEST(YinyangBounds, EncloseTheDistanceAtAnyOffset) {
  for (const double offset : {0.0, 1000.0}) expect_radii_enclose<float>(offset);
  for (const double offset : {0.0, 1e12}) expect_radii_enclose<double>(offset);
}

TEST(Taylor2021, StartIsTheAuthorsOwn) {
  const auto data = load_dataset<double>(request("blobs", 1003));
  const int k = 7;
  const auto start = initial_centroids(data, k, "taylor2021", 90);
  ASSERT_EQ(start.size(), std::size_t(k) * data.d);
  const std::int64_t stretch = data.n / k;
#ifdef __GLIBC__
  std::srand(90);
  for (int c = 0; c < k; ++c)
    for (int j = 0; j < data.d; ++j)
      EXPECT_EQ(start[std::size_t(c) * data.d + j], data.values[std::size_t((c * stretch + std::rand() % stretch) * data.d + j)]);
#endif
  EXPECT_NE(start, initial_centroids(data, k, "taylor2021", 91));
}

}  // namespace
}  // namespace km

// gpu/lloyd/screened and screened_mma, and on all GPUs gpu/many/screened and screened_peers, give the same bits for every grid. The first two need more
// than nine tenths of their margin (skips without a GPU that they run on). cpu/lloyd/screened needs a third of its margin in fp32, and no case much more,
// and nine tenths in bfloat16; it gives the same labels with all instructions and numbers of threads, and the same centroids where sums need no rounding.
#include <cmath>

#include "impl/cpu/lloyd/screened.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

/// A value with so many significant bits (11: fp16, 8: bfloat16), for normal numbers.
double with_bits(double value, int bits) {
  const double unit = std::ldexp(1, std::ilogb(value) - bits + 1);
  return std::nearbyint(value / unit) * unit;
}

/// The margin's worst case. Both centroids, b and -b, have so few bits that all errors come from the points. Each point lies about half way, and its
/// residual points along b. Scores lead the wrong way by 0.95 of 2 |residual| |b| and more, nearly all of the margin.
template <class T>
struct Misled {
  /// first: the dimension of the plane's first one; those before are zero.
  Misled(int bits, double scale, int first = 0) : d(first + 2), start(2 * std::size_t(d)) {
    const auto set = [this](T* row, double x, double y) { row[d - 2] = T(x), row[d - 1] = T(y); };
    set(start.data(), scale * 0.5, scale * -0.4375), set(start.data() + d, scale * -0.5, scale * 0.4375);
    auto value = uniform(5, 0.6, 1.0);
    while (std::ssize(points) < 4000 * d) {
      const double y = value(), x = 0.875 * y - 1e-5, off_x = x - with_bits(x, bits), off_y = y - with_bits(y, bits);
      if (0.875 * off_y - off_x - 1e-5 < 0.95 * std::hypot(off_x, off_y) * std::hypot(1, 0.875)) continue;
      for (const double sign : {1, -1}) points.resize(points.size() + d), set(points.data() + points.size() - d, sign * x, sign * y);
    }
    problem = Problem<T>{{.n = std::ssize(points) / d, .d = d, .k = 2, .max_iters = 1}, points, start};
  }
  int d;
  std::vector<T> points, start;
  Problem<T> problem;
};

/// Points of a square, more clusters than fp16 can tell apart.
template <class T>
struct ScreenedOnTheGpu : OnTheGpu {
  /// Those of these names that run here.
  std::vector<std::string> present(std::vector<std::string> names) const {
    std::erase_if(names, [&](const std::string& name) {
      const auto found = std::ranges::find(implementations(), name, &Implementation::name);
      return found == implementations().end() || !found->description.unsupported(square.problem, config_of(*found), sizeof(T)).empty();
    });
    return names;
  }

  const Drawn<T> square{{.n = 20'000, .d = 2, .k = 300, .max_iters = 5}, uniform(3, 0.0f, 1.0f)};
};
TYPED_TEST_SUITE(ScreenedOnTheGpu, Precisions);

TYPED_TEST(ScreenedOnTheGpu, GivesTheSameBitsForEveryGridAndOnAllGpus) {
  const auto names = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma", "gpu/many/screened", "gpu/many/screened_peers"});
  if (names.empty()) GTEST_SKIP() << "none of them runs here";
  const auto expected = solve(this->square.problem, names.front());
  for (const auto& name : names)
    for (const std::int64_t grid : {132, 264, 528})
      expect_same_bits(solve(this->square.problem, name, {{"grid", grid}}), expected, name + ", grid " + std::to_string(grid));
}

TYPED_TEST(ScreenedOnTheGpu, GivesTheSameBitsForEveryStrategy) {  // with three products, sums of four chunks; candidates of few and of all points
  const auto names = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma"});
  if (names.empty()) GTEST_SKIP() << "none of them runs here";
  const Drawn<TypeParam> cloud{{.n = 20'000, .d = 200, .k = 300, .max_iters = 5}, uniform(4, 0.0f, 1.0f)};
  const auto expected = solve(cloud.problem, names.front(), {{"begin", std::string("differences")}});
  for (const auto& name : names)
    for (const std::string begin : {"one product", "three products"})
      expect_same_bits(solve(cloud.problem, name, {{"begin", begin}}), expected, name + ", " + begin);
}

TYPED_TEST(ScreenedOnTheGpu, IsRightForManyClustersAndForManyDimensions) {  // blocks share the counters of clusters; chunks of 128 dimensions
  const auto names = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma"});
  if (names.empty()) GTEST_SKIP() << "none of them runs here";
  for (const ProblemShape shape : {ProblemShape{.n = 30'000, .d = 3, .k = 20'000, .max_iters = 3}, {.n = 3000, .d = 3001, .k = 20, .max_iters = 3}})
    for (const auto& name : names)
      EXPECT_EQ(judged(Drawn<TypeParam>{shape, uniform(7, 0.0f, 1.0f)}.problem, name).verdict, "") << name << ", k = " << shape.k;
}

TYPED_TEST(ScreenedOnTheGpu, IsRightWhereNineTenthsOfItsMarginAreNot) {
  const auto names = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma", "faults/screen_of_nine_tenths"});
  if (names.empty()) GTEST_SKIP() << "none of them runs here";
  const Misled<TypeParam> misled(11, 1);
  for (const auto& name : names) {
    const bool fault = name.starts_with("faults/");
    const Judgement judgement = judged(misled.problem, name);
    EXPECT_EQ(judgement.verdict != "", fault) << name << ": " << judgement.verdict;
    if (fault) EXPECT_GT(judgement.wrong_labels, 0.95 * double(misled.problem.n)) << name;
    else EXPECT_EQ(judgement.wrong_labels, 0) << name;
  }
}

/// A score that starts at -|b|²/2 = -1.01 and loses all products but the last: each is a little less than half a digit. Thus b looks nearer than it
/// is, by 391 u. So it does by the bias of its start. The other centroid is nearer by a few u; |x|² = 0.505.
template <class T>
struct LostProducts {
  LostProducts() {
    const float lost = std::sqrt(0.98f * 0x1p-24f), last = std::sqrt(0.505f);
    std::vector<T> x(400, lost);
    x.back() = last;
    start.assign(800, 0);
    for (int j = 0; j < 399; ++j) start[j] = -lost;
    start[399] = 2 * last, start[799] = -580 * 0x1p-24f / last;
    for (int i = 0; i < 64; ++i)
      for (const T value : x) points.push_back(i % 2 == 0 ? value : -value);  // the origin is their mean
    problem = Problem<T>{{.n = 64, .d = 400, .k = 2, .max_iters = 1}, points, start};
  }
  std::vector<T> points, start;
  Problem<T> problem;
};

/// Wrong labels of one thread, with this share of the margin.
template <class T>
std::int64_t wrong_with(double share, const Problem<T>& problem, const char* instructions) {
  const Config config({{"threads", std::int64_t(1)}, {"instructions", instructions}});
  Trace trace;
  const auto solution = solved(Screened<T>(problem, config, trace, share), trace);
  return judge(problem, solution, named("cpu/lloyd/screened").description, config).wrong_labels;
}

template <class T>
class ScreenedOnTheCpu : public ::testing::Test {};
TYPED_TEST_SUITE(ScreenedOnTheCpu, Precisions);

TYPED_TEST(ScreenedOnTheCpu, IsRightWhereAThirdOfItsMarginIsNot) {
  const LostProducts<TypeParam> lost;
  for (const char* instructions : {"avx512", "avx2", "portable"}) {
    if (!has(instructions)) continue;
    for (const double enough : {1.0, 0.54}) EXPECT_EQ(wrong_with(enough, lost.problem, instructions), 0) << instructions;
    EXPECT_EQ(wrong_with(1.0 / 3, lost.problem, instructions), 32) << instructions;
  }
}

/// The same for the centroids: bfloat16 holds the points x and -x, and both centroids' residuals point along x. A third dimension makes up for that.
template <class T>
struct MisledByCentroids {
  MisledByCentroids() {
    const T off = T(0.0038);
    for (int i = 0; i < 64; ++i)
      for (const T value : {4, 4, 1}) points.push_back(i % 2 == 0 ? value : -value);
    start = {T(1.25) + off, T(-1.25) + off, T(0.003) - 16 * off, T(-1.25) - off, T(1.25) - off, 0};
    problem = Problem<T>{{.n = 64, .d = 3, .k = 2, .max_iters = 1}, points, start};
  }
  std::vector<T> points, start;
  Problem<T> problem;
};

TYPED_TEST(ScreenedOnTheCpu, IsRightWherePartsOfItsMarginInBfloat16AreNot) {
  if (!has("bf16")) GTEST_SKIP() << "this CPU has no bf16";
  const Misled<TypeParam> by_points(8, 8), by_later_dimensions(8, 8, 17);  // |b| is large, so that little more than it is a distance
  const MisledByCentroids<TypeParam> by_centroids;
  for (const auto* problem : {&by_points.problem, &by_later_dimensions.problem, &by_centroids.problem})
    for (const char* instructions : {"bf16", "amx"}) {
      if (!has(instructions)) continue;
      EXPECT_EQ(wrong_with(1, *problem, instructions), 0) << instructions;
      EXPECT_GT(wrong_with(problem->n == 64 ? 0.85 : 0.9, *problem, instructions), 0.9 * double(problem->n)) << instructions;
    }
}

/// Wrong labels after the first iteration, by each instruction for bfloat16 that this CPU has.
template <class T>
void expect_right_in_bfloat16(const Problem<T>& problem, const char* what) {
  for (const std::string instructions : {"bf16", "amx"}) {
    if (!has(instructions)) continue;
    EXPECT_EQ(judged(problem, "cpu/lloyd/screened", {{"instructions", instructions}}).wrong_labels, 0) << what;
  }
}

TYPED_TEST(ScreenedOnTheCpu, SettlesInBfloat16WhatFp32CannotTell) {
  using T = TypeParam;
  if (!has("bf16")) GTEST_SKIP() << "this CPU has no bf16";
  auto value = uniform(8, -1.0, 1.0);
  const Drawn<T> drawn({.n = 2, .d = 40, .k = 2, .max_iters = 1}, value);
  std::vector<T> half_way;
  for (int i = 0; i < 500; ++i)
    for (int j = 0; j < 40; ++j) half_way.push_back((drawn.points[j] + drawn.points[40 + j]) / 2 + T(1e-7 * value()));
  expect_right_in_bfloat16(Problem<T>{{.n = 500, .d = 40, .k = 2, .max_iters = 1}, half_way, drawn.points}, "half way between both centroids");
  std::vector<T> far;
  for (int i = 0; i < 64; ++i)
    for (const double x : {1e25, 9e24}) far.push_back(T(i % 2 == 0 ? x : -x));
  const std::vector<T> near = {1, 0, 0, 1};
  expect_right_in_bfloat16(Problem<T>{{.n = 64, .d = 2, .k = 2, .max_iters = 1}, far, near}, "|x|² overflows");
  const Drawn<T> wide({.n = 500, .d = 3, .k = 4, .max_iters = 1}, uniform(9, -1e19, 1e19));
  expect_right_in_bfloat16(wide.problem, "|c|² overflows");
}

/// Centroids so close together that bfloat16 cannot tell them apart take vectors after the first iteration, others do not.
TYPED_TEST(ScreenedOnTheCpu, LeavesTilesThatDecideTooLittle) {
  if (!has("bf16")) GTEST_SKIP() << "this CPU has no bf16";
  const ProblemShape shape = {.n = 4000, .d = 40, .k = 30, .max_iters = 3};
  const Drawn<TypeParam> ordinary(shape, uniform(6, -1.0, 1.0));
  const Drawn<TypeParam> close(shape, [near = uniform(6, -1e-4, 1e-4), at = 0]() mutable { return near() + (at++ / 40 % 2 == 0 ? 1 : -1); });
  for (const char* instructions : {"bf16", "amx"}) {
    if (!has(instructions)) continue;
    const ParameterValues values = {{"threads", std::int64_t(2)}, {"instructions", instructions}};
    const auto threads_with_tiles = [&](const Problem<TypeParam>& problem) {
      Trace trace(true);
      const auto solution = solve(problem, "cpu/lloyd/screened", values, trace);
      EXPECT_EQ(judge(problem, solution, named("cpu/lloyd/screened").description, config_of(named("cpu/lloyd/screened"), values)).wrong_labels, 0);
      return trace.counters().at("tile_threads");
    };
    EXPECT_EQ(threads_with_tiles(ordinary.problem), (std::vector<double>{2, 2, 2})) << instructions;
    EXPECT_EQ(threads_with_tiles(close.problem), (std::vector<double>{2, 0, 0})) << instructions;
  }
}

/// The largest lead that errors can give a wrong centroid b over c, less the share of the margin, in m |x|². A score errs by at most m |x||c|
/// (roundings of x and c) or by m times the largest partial sum. The offset adds share m |c|² more. Both scores are equal.
double undecided(double share, double b, double c) {
  const double score = b - b * b / 2, cosine = (score + c * c / 2) / c;
  if (std::abs(cosine) > 1) return -1;
  const auto error = [](double length, double to_x) {
    const double negative = length * (1 - to_x) / 2, positive = length * (1 + to_x) / 2, offset = length * length / 2;
    return std::max({length, offset + negative, positive - offset});
  };
  return error(b, 1) + error(c, cosine) + share * (b * b - c * c) - share * (9 - 8 * score);
}

TEST(ScreenedMargin, IsMoreThanAnyCaseNeeds) {
  const auto most = [](double share) {
    double lead = -1;
    for (double b = 0; b < 20; b += 0.01)
      for (double c = 0.01; c < 20; c += 0.01) lead = std::max(lead, undecided(share, b, c));
    return lead;
  };
  EXPECT_LT(most(0.54), 0);
  EXPECT_GT(most(1.0 / 3), 0);
}

/// Solutions by all instructions that this CPU has, with one thread and with three.
template <class T>
std::vector<Solution<T>> by_all_instructions(const Problem<T>& problem) {
  const Implementation& screened = named("cpu/lloyd/screened");
  std::vector<Solution<T>> found;
  for (const char* instructions : {"portable", "avx2", "avx512", "bf16", "amx", "best"})
    for (const std::int64_t threads : {1, 3})
      if (const ParameterValues values = {{"threads", threads}, {"instructions", instructions}};
          screened.description.unsupported(problem, config_of(screened, values), sizeof(T)).empty())
        found.push_back(solve(problem, screened.name, values));
  return found;
}

/// Whole numbers give the same bits, any numbers the same labels in one iteration.
TYPED_TEST(ScreenedOnTheCpu, GivesTheSameByAllInstructions) {
  using T = TypeParam;
  for (const auto [n, d, k] : {std::array{1500, 68, 90}, std::array{700, 300, 21}, std::array{3000, 3, 7}})
    for (const bool whole : {true, false}) {
      const Drawn<T> drawn({.n = n, .d = d, .k = k, .max_iters = whole ? 12 : 1},
                           [whole, random = std::mt19937(7)]() mutable { return whole ? T(random() % 10) : T(random()) / T(1 << 16); });
      const auto found = by_all_instructions(drawn.problem);
      ASSERT_GE(found.size(), 4u);
      for (const auto& solution : found) {
        EXPECT_EQ(solution.labels, found[0].labels);
        EXPECT_TRUE(!whole || solution.centroids == found[0].centroids);
      }
    }
}

TEST(Shares, GiveEachPointToOneThread) {
  for (const std::int64_t n : {1, 31, 32, 33, 1000, 12'345})
    for (const int threads : {1, 2, 5, 16}) {
      strips::Shares shares(n, 32, threads);
      std::vector<int> times(n);
      const auto take = [&](strips::Range range) {
        EXPECT_TRUE(range.first == n || range.first % 32 == 0) << "whole strips";
        for (std::int64_t i = range.first; i < range.last; ++i) ++times[i];
        return range.first < range.last;
      };
      std::int64_t most = 0;
      for (int t = 0; t < threads; ++t) {
        const strips::Range own = shares.own(t);
        if (take(own)) most = std::max(most, own.last - own.first);
      }
      while (take(shares.next())) {}
      EXPECT_EQ(times, std::vector(n, 1)) << n << " points, " << threads << " threads";
      EXPECT_LE(most, threads == 1 ? n : n / (2 * threads) + 32) << "half of the points are left to whom is ready";
    }
}

}  // namespace
}  // namespace km

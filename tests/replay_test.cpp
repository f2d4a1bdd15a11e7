// The replay accepts every right run, however its sums are rounded, and refuses every lie.
#include "bench/judge/replay.hpp"
#include "bench/data/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "bench/contract/lloyd.hpp"
#include "bench/judge/draws.hpp"
#include "bench/run/runs.hpp"

namespace km {
namespace {

std::vector<int> asked;  // how many iterations, by instance, of all points

/// Errors of the runs below. Late: an iteration too many. Early: a stop while 2% of the labels still change. Stale: the start in place of the last
/// assign's centroids, if a fixed number of iterations is asked for. At rest: a stop where no centroid moves, whatever the labels. Skipped: share of
/// iterations left out at random.
struct Lies {
  bool late = false, early = false, stale = false, at_rest = false;
  double skipped = 0;
} planted;
std::mt19937 order(7);  // of additions
bool shuffles = false;
bool from_first = false;  // the nearest by x·(c-m) - (c-m)·(c+m)/2 with m the first centroid: an expansion that cancels less than its bound

/// Plain Lloyd's in T. With `shuffles` each sum has its own order of additions, as with atomics.
template <class T>
struct Plain final : AnySolver<T> {
  explicit Plain(const Problem<T>& problem) : p(problem), points(std::size_t(problem.n)) {
    if (p.n == 2000) asked.push_back(p.max_iters);
    if (planted.early && p.tolerance == 0) p.tolerance = 0.02;
    std::iota(points.begin(), points.end(), std::int64_t{0});
  }

  void reset() override { out.poison(p); }

  int iterate(Trace& trace) override {
    out.centroids.assign(p.initial_centroids.begin(), p.initial_centroids.end());
    out.labels.assign(std::size_t(p.n), no_label);
    int iteration = 0;
    bool left_out = false;
    const auto assigned = [&] {
      left_out = iteration++ > 0 && std::uniform_real_distribution<>(0, 1)(order) < planted.skipped;
      return left_out ? p.n : assign();
    };
    const auto updated = [&] {
      if (!left_out) update();
    };
    out.iters = lloyd(p, trace, assigned, updated);
    if (planted.at_rest && p.tolerance >= 0) {
      out.iters = 0;
      out.centroids.assign(p.initial_centroids.begin(), p.initial_centroids.end());
      do assign(), update();
      while (++out.iters < p.max_iters && out.centroids != out.assigned_centroids);
    }
    if (planted.late && p.tolerance >= 0) assign(), update(), ++out.iters;
    if (planted.stale && p.tolerance < 0 && p.max_iters > 3) out.assigned_centroids.assign(p.initial_centroids.begin(), p.initial_centroids.end());
    return out.iters;
  }

  Solution<T> download() override { return out; }

  std::int64_t assign() {
    out.assigned_centroids = out.centroids;
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < p.n; ++i) {
      std::int32_t best = 0;
      T best_dist = std::numeric_limits<T>::infinity();
      for (int c = 0; c < p.k; ++c) {
        T dist = 0;
        for (int j = 0; j < p.d; ++j) {
          const T x = p.points[std::size_t(i * p.d + j)], centroid = out.centroids[std::size_t(c) * p.d + j], m = out.centroids[std::size_t(j)];
          if (from_first) dist += (centroid - m) * ((centroid + m) / 2 - x);
          else dist += (x - centroid) * (x - centroid);
        }
        if (dist < best_dist) best_dist = dist, best = c;
      }
      changed += std::exchange(out.labels[std::size_t(i)], best) != best;
    }
    return changed;
  }

  void update() {
    if (shuffles) std::ranges::shuffle(points, order);
    std::vector<T> sums(out.centroids.size()), counts(std::size_t(p.k));
    for (const std::int64_t i : points) {
      const auto c = std::size_t(out.labels[std::size_t(i)]);
      ++counts[c];
      for (int j = 0; j < p.d; ++j) sums[c * p.d + j] += p.points[std::size_t(i * p.d + j)];
    }
    for (std::size_t cell = 0; cell < sums.size(); ++cell)
      if (const T count = counts[cell / p.d]; count > 0) out.centroids[cell] = sums[cell] / count;
  }

  Problem<T> p;
  Solution<T> out;
  std::vector<std::int64_t> points;
};

Implementation plain() {
  Implementation made{"plain", {}};
  if (from_first) made.description.distance = Distance::expansion;
  made.fp32 = [](const Problem<float>& p, const Config&, Trace&) { return std::make_unique<Plain<float>>(p); };
  made.fp64 = [](const Problem<double>& p, const Config&, Trace&) { return std::make_unique<Plain<double>>(p); };
  return made;
}

template <class T>
Solution<T> solved(const Problem<T>& problem) {
  Trace untraced;
  Plain<T> solver(problem);
  solver.reset();
  solver.iterate(untraced);
  return solver.download();
}

// ---- right runs whose rounding differs ----

constexpr int kinds = 12, almost_constant = kinds;

/// Values on which rounding decides much: wide ranges, near ties, constant columns, tiny and huge ones, duplicates, an outlier.
double value_of(int kind, bool fp64, std::int64_t i, int j, std::mt19937& random) {
  const double normal = std::normal_distribution<>()(random), uniform = std::uniform_real_distribution<>(0, 1)(random);
  switch (kind) {
    case 0: return normal * std::pow(10, 12 * uniform - 6);
    case 1: return double(random() % 3) + 1e-7 * normal;  // near ties
    case 2: return j == 0 ? 0.1 : normal;
    case 3: return 1e-30 * normal;
    case 4: return (fp64 ? 1e30 : 1e17) * normal;
    case 5: return normal * std::pow(10, (fp64 ? 60 : 47) * uniform - 30);
    case 6: return double(random() % 4) / 3 * (j + 1);  // duplicates
    case 7: return 10 * double((i * 7 + j) % 5) + normal;
    case 8: return i == 17 ? 1e6 : normal;
    case 9: return double(random() % 4);  // ties
    case 10: return 1e4 + normal;
    case almost_constant: return j == 0 ? 1e6 + uniform / 2 : normal;
    default: return uniform;
  }
}

/// A right or a wrong run of one problem, and the replay of it.
template <class T>
struct Draw {
  Draw(int kind, unsigned seed, ProblemShape shape = {}) : random(seed) {
    const auto between = [&](int least, int most) { return least + int(random() % unsigned(most - least + 1)); };
    static_cast<ProblemShape&>(problem) = shape;
    if (shape.n == 0) problem.n = between(60, 700), problem.d = between(1, 4), problem.k = between(2, 6);
    if (shape.n == 0 && shape.tolerance < 0) problem.max_iters = between(2, 14);
    for (std::int64_t i = 0; i < problem.n; ++i)
      for (int j = 0; j < problem.d; ++j) points.push_back(T(value_of(kind, std::is_same_v<T, double>, i, j, random)));
    problem.points = points;
    problem.initial_centroids = std::span<const T>(points).first(std::size_t(problem.k) * problem.d);
  }

  std::string verdict(bool small_ones_by_judge) {
    const Implementation implementation = plain();
    const Judge<T> judge(problem, implementation.description, Config());
    Evidence<T> evidence{.first = solved(problem), .middle = small_ones_by_judge, .draws = std::mt19937_64(random())};
    if (const auto wrong = judge(evidence.first).verdict; !wrong.empty()) return wrong;
    for (int run = 0; run < 2; ++run)
      if (const Solution<T> again = solved(problem); again.iters == evidence.first.iters)
        evidence.others.push_back({{problem.initial_centroids.begin(), problem.initial_centroids.end()}, again.assigned_centroids, 0});
    return replay(implementation, Config(), problem, evidence, judge).verdict;
  }

  std::mt19937 random;
  std::vector<T> points;
  Problem<T> problem;
};

template <class T>
class ShuffledSums : public ::testing::Test {
 protected:
  ShuffledSums() { planted = {}, shuffles = true; }
  ~ShuffledSums() override { planted = {}, shuffles = false; }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ShuffledSums, Precisions);

TYPED_TEST(ShuffledSums, AreRight) {
  for (unsigned seed = 0; seed < 13 * kinds; ++seed)
    for (const bool by_judge : {false, true}) {
      Draw<TypeParam> draw(int(seed % kinds), seed, {.max_iters = 300, .tolerance = seed % 5 == 0 ? 0 : seed % 7 == 0 ? 0.01 : -1});
      EXPECT_EQ(draw.verdict(by_judge), "") << "set of kind " << seed % kinds << ", seed " << seed;
    }
}

TYPED_TEST(ShuffledSums, AreRightWhereTheBoundSaysLittle) {
  from_first = true;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Draw<TypeParam> draw(almost_constant, seed, {.n = 780, .d = 4, .k = 3, .max_iters = 10});
    EXPECT_EQ(draw.verdict(true), "") << "seed " << seed;
  }
  from_first = false;
}

TYPED_TEST(ShuffledSums, HideNoIterationsLeftOut) {
  planted.skipped = 0.3;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Draw<TypeParam> draw(11, seed, {.n = 700, .d = 2, .k = 6, .max_iters = 12});
    EXPECT_NE(draw.verdict(true), "") << "seed " << seed;
  }
}

TYPED_TEST(ShuffledSums, HideNoEarlyStop) {
  planted.early = true;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Draw<TypeParam> draw(11, seed, {.n = 700, .d = 2, .k = 6, .max_iters = 300, .tolerance = 0});
    const auto stopped = solved(draw.problem);
    planted.early = false;
    const auto right = solved(draw.problem);
    planted.early = true;
    if (stopped.iters == right.iters) continue;
    EXPECT_NE(draw.verdict(false), "") << "seed " << seed;
  }
}

// ---- the runs of a replay ----

class Replays : public ::testing::Test {
 protected:
  Replays() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> value(-1, 1);
    for (int i = 0; i < 2000; ++i) points.push_back(value(random));
    problem = Problem<double>{{.n = 2000, .d = 1, .k = 5, .max_iters = 1000, .tolerance = 0}, points, std::span<const double>(points).first(5)};
    planted = {};
  }

  /// The replay of a run that is made anew; `asked` has the instances of the replay alone.
  Replay replayed(KnownEnds<double>* known = nullptr) {
    const Implementation implementation = plain();
    Evidence<double> evidence{.first = solved(problem), .known = known};
    iters = evidence.first.iters;
    asked.clear();
    return replay(implementation, Config(), problem, evidence, Judge<double>(problem, implementation.description, Config()));
  }
  bool ran(int max_iters) const { return std::ranges::count(asked, max_iters) > 0; }

  std::vector<double> points;
  Problem<double> problem;
  int iters = 0;
};

TEST_F(Replays, NeedOneRunLessWhereTheMeansProveAChange) {
  const Replay replay = replayed();
  EXPECT_EQ(replay.verdict, "");
  EXPECT_TRUE(ran(iters - 1));
  EXPECT_FALSE(ran(iters - 2));
}

TEST_F(Replays, AreSparedWhereARightRunPassedAndStoppedAlike) {
  KnownEnds<double> known;
  EXPECT_EQ(replayed(&known).verdict, "");
  EXPECT_TRUE(ran(iters - 1));
  EXPECT_EQ(replayed(&known).verdict, "");
  EXPECT_FALSE(ran(iters - 1));
  for (const Lies lie : {Lies{.late = true}, Lies{.early = true}}) {
    planted = lie;
    EXPECT_NE(replayed(&known).verdict, "");
  }
  planted = {};
  problem.tolerance = 1e-3;
  EXPECT_EQ(replayed(&known).verdict, "");
  EXPECT_TRUE(ran(iters - 1)) << "another rule";
}

TEST_F(Replays, AreMadeWhereTheMeansRested) {
  planted.late = true;
  EXPECT_NE(replayed().verdict.find("it went on for"), std::string::npos);
  EXPECT_TRUE(ran(iters - 2));
}

TEST_F(Replays, AreMadeWhereOneLabelMayChange) {
  problem.tolerance = 1e-3;  // two of 2000
  EXPECT_EQ(replayed().verdict, "");
  EXPECT_TRUE(ran(iters - 2));
}

TEST_F(Replays, LetWhoeverTestsTheCentroidsStopWhereTheyRest) {
  std::ranges::fill(points, 2.5);
  planted.at_rest = true;
  for (const char* departs : {"", "it tests the centroids, not the labels"}) {
    Implementation implementation = plain();
    implementation.description.departs = departs;
    const Judge<double> judge(problem, implementation.description, Config());
    const Evidence<double> evidence{.first = solved(problem)};
    EXPECT_EQ(evidence.first.iters, 1) << "every label changed";
    EXPECT_EQ(replay(implementation, Config(), problem, evidence, judge).verdict.empty(), *departs != 0);
  }
}

TEST_F(Replays, AreJudgedBeforeTheyProveAnything) {
  planted.stale = true;
  EXPECT_NE(replayed().verdict.find("after " + std::to_string(iters - 1) + " iterations: point"), std::string::npos);
}

TEST(JudgeMoved, AsFarAsRoundingGoes) {
  const std::vector<double> points = {0, 1, 2, 10, 11};
  const Problem<double> problem{{.n = 5, .d = 1, .k = 2, .max_iters = 2}, points, {}};
  const Judge<double> judge(problem, {}, Config());
  Solution<double> solution{.labels = {0, 0, 0, 1, 1}, .assigned_centroids = {1, 10.5}, .centroids = {1, 10.5}, .iters = 2};
  EXPECT_FALSE(judge.moved(solution));
  solution.assigned_centroids = {1 + 1e-15, 10.5};
  EXPECT_FALSE(judge.moved(solution));
  solution.assigned_centroids = {1, 10.5 + 1e-12};
  EXPECT_TRUE(judge.moved(solution));
  solution = {.labels = {0, 0, 0, 0, 0}, .assigned_centroids = {4.8, 99}, .centroids = {4.8, 99}, .iters = 2};
  EXPECT_FALSE(judge.moved(solution)) << "a cluster without points stays";
}

TEST(JudgeApart, BeyondTheBoundsOfBoth) {
  const std::vector<double> points = {0, 2};
  const Judge<double> judge(Problem<double>{{.n = 2, .d = 1, .k = 1, .max_iters = 1}, points, {}}, {}, Config());
  EXPECT_EQ(judge.apart({0}, {0.5}, {0.25}), 0) << "each may be off by its bound";
  EXPECT_EQ(judge.apart({0}, {2.5}, {0.25}), 2) << "in standard deviations of the points, which is 1";
}

TEST(Sample, HasWitnessesBetweenEachCentroidAndItsNearest) {
  const std::vector<double> points = {0, 10, 11};
  std::mt19937_64 draws;
  const auto sample = sample_with_witnesses(Problem<double>{{.n = 3, .d = 1, .k = 3}, points, points}, Distance::difference, draws);
  for (const double middle : {5.0, 10.5})
    EXPECT_TRUE(std::ranges::any_of(sample, [&](double x) { return x != middle && std::abs(x - middle) < 1e-9; })) << middle;
}

/// A point beside the middle of 0 and 8 has distances² that differ by 16 times its distance from the middle. At the nearest witnesses they differ by
/// 1.5 times what rounding explains.
TEST(Sample, HasWitnessesJustBeyondWhatRoundingExplains) {
  const std::vector<double> points = {0, 8};
  constexpr double unit = 4 * (1 + 4) * 0x1p-53;
  for (const auto& [form, magnitude] : {std::pair{Distance::difference, 16.0 + 16}, {Distance::expansion, 2 * 16.0 + 64}}) {
    std::mt19937_64 draws;
    double nearest = 1;
    for (const double x : sample_with_witnesses(Problem<double>{{.n = 2, .d = 1, .k = 2}, points, points}, form, draws))
      if (x != 4) nearest = std::min(nearest, std::abs(x - 4));
    EXPECT_NEAR(16 * nearest, 1.5 * unit * magnitude, 16 * 0x1p-51) << int(form);
  }
}

TEST(Start, OfEachTimedRunIsAnother) {
  for (const std::vector<double>& given : {std::vector<double>{0.5}, std::vector<double>{0, -1}}) {
    Start<double> start(given, 1);
    std::set<std::vector<double>> seen;
    for (std::size_t turn = 0; turn < 20; ++turn) {
      start.rotate(int(turn % given.size()), turn);
      EXPECT_TRUE(seen.insert(start.values()).second) << turn;
    }
  }
}

TEST(SameAnswer, HasEveryLabelAndCentroid) {
  const ProblemShape p{.n = 9, .d = 1, .k = 3, .max_iters = 2};
  Solution<double> given{.labels = {0, 1, 2, 0, 1, 2, 0, 1, 2}, .assigned_centroids = {1, 2, 3}, .centroids = {4, 5, 6}, .iters = 2};
  Solution<double> turned{.labels = {2, 0, 1, 2, 0, 1, 2, 0, 1}, .assigned_centroids = {2, 3, 1}, .centroids = {5, 6, 4}, .iters = 2};
  EXPECT_TRUE(same_answer(given, given, 0, p));
  EXPECT_TRUE(same_answer(given, turned, 1, p));
  EXPECT_FALSE(same_answer(given, turned, 2, p));
  const auto expect_other = [&](auto change) {
    auto changed = turned;
    change(changed);
    EXPECT_FALSE(same_answer(given, changed, 1, p));
  };
  for (std::size_t i = 0; i < given.labels.size(); ++i)
    for (const int label : {-1, 0, 1, 2, 3})
      if (label != turned.labels[i]) expect_other([&](auto& s) { s.labels[i] = label; });
  for (std::size_t c = 0; c < given.centroids.size(); ++c) {
    expect_other([&](auto& s) { s.centroids[c] = std::nextafter(s.centroids[c], 9); });
    expect_other([&](auto& s) { s.assigned_centroids[c] = std::nextafter(s.assigned_centroids[c], 9); });
  }
  expect_other([](auto& s) { s.labels.pop_back(); });
  expect_other([](auto& s) { s.iters = 1; });
}

TEST(Draws, DependOnTheSeedAlone) {
  judge_seed() = 7;
  const auto first = judge_draws();
  EXPECT_EQ(judge_draws(), first);
  judge_seed() = 8;
  EXPECT_NE(judge_draws(), first);
}

TEST(Draws, MixAsSplitMix64) {
  const std::uint64_t none = -0x632BE59BD9B4E019u;  // the second word that changes nothing
  EXPECT_EQ(mixed(std::uint64_t(1), none), 0xE220A8397B1DCDAFu) << "the first two numbers of seed 0";
  EXPECT_EQ(mixed(std::uint64_t(2), none), 0x6E789E6AA1B965F4u);
}

/// Where a mean is exact, the lowest of equal centroids keeps all points. Any rounding passes them on from one to the next.
TEST(Replay, AcceptsRestAmongEqualCentroids) {
  for (const double tolerance : {0.0, -1.0})
    for (const bool by_judge : {false, true}) {
      Draw<double> draw(9, 1, {.n = 29, .d = 8, .k = 20, .max_iters = tolerance < 0 ? 9 : 60, .tolerance = tolerance});
      std::ranges::fill(draw.points, 3);
      EXPECT_EQ(draw.verdict(by_judge), "") << tolerance << ", by judge: " << by_judge;
    }
}

}  // namespace
}  // namespace km

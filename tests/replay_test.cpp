// The judge proves from means alone: for slow runs that the last iteration but one was needed, which saves a run; for nonrepeatable runs that the
// last iteration changed nothing.
#include "bench/judge/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bench/contract/lloyd.hpp"
#include "bench/judge/draws.hpp"

namespace km {
namespace {

std::vector<int> asked;  // how many iterations, by instance

/// Plain Lloyd's. Late: it makes an iteration too many. Early: it stops where forty labels still change. Stale: where exactly so many iterations are
/// asked for, it hands back the start as what its last assign used. Unsteady: there its last assign is off a little, by a little more in each run.
struct Wish {
  bool late = false, early = false, stale = false, unsteady = false;
} wish;

struct Plain {
  Plain(const Problem<double>& problem, const Config&, Trace&) : p(problem) {
    asked.push_back(p.max_iters);
    if (wish.early && p.tolerance == 0) p.tolerance = 0.02;
  }

  void reset() { out.poison(p); }

  int iterate(Trace& trace) {
    out.centroids.assign(p.initial_centroids.begin(), p.initial_centroids.end());
    out.labels.assign(std::size_t(p.n), no_label);
    out.iters = lloyd(
        p, trace, [this] { return assign(); }, [this] { update(); });
    if (wish.late && p.tolerance >= 0) assign(), update(), ++out.iters;
    if (wish.stale && p.tolerance < 0 && p.max_iters > 3) out.assigned_centroids.assign(p.initial_centroids.begin(), p.initial_centroids.end());
    return out.iters;
  }

  Solution<double> download() { return out; }

  std::int64_t assign() {
    if (wish.unsteady && p.tolerance < 0 && p.max_iters > 13 && ++iteration == p.max_iters)
      for (double& c : out.centroids) c += 5e-3 + 2e-4 * double(asked.size());
    out.assigned_centroids = out.centroids;
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < p.n; ++i) {
      const auto apart = [&](double c) { return std::abs(p.points[std::size_t(i)] - c); };
      const auto nearest = std::ranges::min_element(out.centroids, {}, apart) - out.centroids.begin();
      changed += std::exchange(out.labels[std::size_t(i)], std::int32_t(nearest)) != nearest;
    }
    return changed;
  }

  void update() {
    std::vector<double> sums(std::size_t(p.k)), counts(std::size_t(p.k));
    for (std::size_t i = 0; i < p.points.size(); ++i) sums[std::size_t(out.labels[i])] += p.points[i], ++counts[std::size_t(out.labels[i])];
    for (std::size_t c = 0; c < sums.size(); ++c)
      if (counts[c] > 0) out.centroids[c] = sums[c] / counts[c];
  }

  Problem<double> p;
  Solution<double> out;
  int iteration = 0;
};

struct Held final : AnySolver<double> {
  Held(const Problem<double>& p, const Config& c, Trace& t) : plain(p, c, t) {}
  void reset() override { plain.reset(); }
  int iterate(Trace& trace) override { return plain.iterate(trace); }
  Solution<double> download() override { return plain.download(); }
  Plain plain;
};

class DearRuns : public ::testing::Test {
 protected:
  DearRuns() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> value(-1, 1);
    for (int i = 0; i < 2000; ++i) points.push_back(value(random));
    static_cast<ProblemShape&>(problem) = {.n = 2000, .d = 1, .k = 5, .max_iters = 1000, .tolerance = 0};
    problem.points = points;
    problem.initial_centroids = std::span<const double>(points).first(5);
    implementation.fp64 = [](const Problem<double>& p, const Config& c, Trace& t) { return std::make_unique<Held>(p, c, t); };
    wish = {};
  }

  /// The replay of a run that is made anew; `asked` has the instances of the replay alone.
  Replay replayed(bool slow_run) {
    Trace untraced;
    const auto solver = implementation.fp64(problem, Config(), untraced);
    solver->reset();
    iters = solver->iterate(untraced);
    asked.clear();
    return replay(implementation, Config(), problem, Evidence<double>{.first = solver->download(), .slow_run = slow_run},
                  Judge<double>(problem, implementation.description, Config()));
  }
  bool ran(int max_iters) const { return std::ranges::count(asked, max_iters) > 0; }

  std::vector<double> points;
  Problem<double> problem;
  Implementation implementation{"plain", {}};
  int iters = 0;
};

TEST_F(DearRuns, NeedOneRunLess) {
  const Replay cheap = replayed(false);
  EXPECT_EQ(cheap.verdict, "");
  ASSERT_GT(iters, 15) << "else the sample is run for as many";
  EXPECT_TRUE(ran(iters - 1));
  EXPECT_TRUE(ran(iters - 2));
  const Replay slow_run = replayed(true);
  EXPECT_EQ(slow_run.verdict, "");
  EXPECT_EQ(slow_run.links, cheap.links);
  EXPECT_TRUE(ran(iters - 1));
  EXPECT_FALSE(ran(iters - 2));
}

TEST_F(DearRuns, AreMadeWhereTheMeansRested) {
  wish.late = true;
  EXPECT_NE(replayed(true).verdict.find("it went on for"), std::string::npos);
  EXPECT_TRUE(ran(iters - 2));
}

TEST_F(DearRuns, AreMadeWhereOneLabelMayChange) {
  problem.tolerance = 1e-3;  // two of 2000
  EXPECT_EQ(replayed(true).verdict, "");
  EXPECT_TRUE(ran(iters - 2));
}

TEST_F(DearRuns, AreJudgedBeforeTheyProveAnything) {
  wish.stale = true;
  EXPECT_NE(replayed(true).verdict.find("after " + std::to_string(iters - 1) + " iterations: point"), std::string::npos);
}

TEST_F(DearRuns, MayDifferWhereTheirMeansRest) {
  wish.unsteady = true;
  EXPECT_EQ(replayed(false).verdict, "");
  wish.early = true;
  EXPECT_NE(replayed(false).verdict.find("it stopped after"), std::string::npos);
}

TEST(JudgeMoved, AsFarAsRoundingGoes) {
  const std::vector<double> points = {0, 1, 2, 10, 11};
  Problem<double> problem;
  static_cast<ProblemShape&>(problem) = {.n = 5, .d = 1, .k = 2, .max_iters = 2};
  problem.points = points;
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

TEST(Draws, DependOnTheSeedAlone) {
  repeat_judge_seed(7);
  const auto first = draws_for("a");
  EXPECT_EQ(draws_for("b"), first) << "another plan gives the case another id";
  repeat_judge_seed(8);
  EXPECT_EQ(judge_seed(), 8u);
  EXPECT_NE(draws_for("a"), first);
}

}  // namespace
}  // namespace km

// The implementations that take shards, on several ranks of one process: the same bits for any number of ranks and threads.
#include <cmath>
#include <mutex>
#include <set>
#include <utility>

#include "bench/judge/replay.hpp"
#include "bench/run/run.hpp"
#include "bench/run/together.hpp"
#include "bench/run/workers.hpp"
#include "tests/solving.hpp"
#include "tests/sweeps.hpp"
#include "tests/thread_group.hpp"

namespace km {
namespace {

/// This rank's share of the problem, whose rows begin at `first` and end before `end`.
template <class T>
Problem<T> share(const Problem<T>& p, Group& group, std::int64_t first, std::int64_t end) {
  Problem<T> mine = p;
  mine.n = end - first, mine.group = &group, mine.shard = {first, p.n};
  mine.points = p.points.subspan(std::size_t(first * p.d), std::size_t(mine.n * p.d));
  return mine;
}
template <class T>
Problem<T> even_share(const Problem<T>& p, Group& group) {
  return share(p, group, first_row(p.n, group.rank(), group.size()), first_row(p.n, group.rank() + 1, group.size()));
}

template <class T>
Solution<T> share(const Solution<T>& s, const Problem<T>& mine) {
  Solution<T> own = s;
  const auto first = s.labels.begin() + mine.shard.first;
  own.labels.assign(first, first + mine.n);
  return own;
}

/// Runs the problem on ranks whose shards begin at these rows.
template <class T>
Solution<T> on_ranks(const Implementation& implementation, const Problem<T>& p, const std::vector<std::int64_t>& firsts) {
  std::vector<Solution<T>> made(firsts.size());
  on_threads(int(firsts.size()), [&](Group& group) {
    const auto rank = std::size_t(group.rank());
    const std::int64_t first = firsts[rank], end = rank + 1 < firsts.size() ? firsts[rank + 1] : p.n;
    Trace untraced;
    made[rank] = solved(*implementation.prepare<T>()(share(p, group, first, end), config_of(implementation), untraced), untraced);
  });
  Solution<T> whole = made[0];
  for (std::size_t rank = 1; rank < made.size(); ++rank) {
    EXPECT_EQ(made[rank].centroids, whole.centroids) << "rank " << rank;
    EXPECT_EQ(made[rank].iters, whole.iters) << "rank " << rank;
    whole.labels.insert(whole.labels.end(), made[rank].labels.begin(), made[rank].labels.end());
  }
  return whole;
}

std::vector<const Implementation*> with_shards() {
  std::vector<const Implementation*> found;
  for (const Implementation& one : implementations(Task::kmeans))
    if (one.description.shards && one.name.starts_with("cpu/ranks/")) found.push_back(&one);  // no planted faults: the registry is for one thread
  return found;
}

template <class T>
struct RanksOfThreads : ::testing::Test {};
TYPED_TEST_SUITE(RanksOfThreads, Precisions);

TYPED_TEST(RanksOfThreads, AnyNumberGivesTheSameBitsAndStopsByTheLabelsOfAll) {
  for (const double tolerance : {-1.0, 0.0}) {
    const Drawn<TypeParam> drawn({.n = 1003, .d = 5, .k = 7, .max_iters = 300, .tolerance = tolerance}, uniform(3, -1e3, 1e3));
    ASSERT_EQ(with_shards().size(), 4u);
    for (const Implementation* one : with_shards()) {
      const auto alone = solve(drawn.problem, one->name, {{"threads", std::int64_t(1)}});
      EXPECT_EQ(judge(drawn.problem, alone, one->description, config_of(*one)).verdict, "");
      EXPECT_EQ(alone.iters < 300, tolerance == 0);
      for (const auto& firsts : {std::vector<std::int64_t>{0}, {0, 501}, {0, 1, 2}, {0, 0, 400, 1002}, {0, 200, 400, 600, 1003}}) {
        const auto made = on_ranks(*one, drawn.problem, firsts);
        EXPECT_EQ(made.iters, alone.iters);
        expect_same_bits(made, alone, one->name + " on " + std::to_string(firsts.size()) + " ranks");
      }
    }
  }
}

TYPED_TEST(RanksOfThreads, UnitsAreThoseOfAllPoints) {  // the rank with the small values alone would choose finer ones
  Drawn<TypeParam> drawn({.n = 64, .d = 1, .k = 2, .max_iters = 5}, [i = 0]() mutable { return ++i <= 32 ? 1e-6 * i : 1e6 + i; });
  for (const Implementation* one : with_shards())
    expect_same_bits(on_ranks(*one, drawn.problem, {0, 32}), solve(drawn.problem, one->name), one->name + " on 2 ranks");
}

// Each rank judges its own labels; together they come to what one judge of all labels says.
TYPED_TEST(RanksOfThreads, JudgeTogetherAsOneJudges) {
  const Drawn<TypeParam> drawn({.n = 5003, .d = 3, .k = 9, .max_iters = 6}, uniform(7, -1e2, 1e2));
  const Problem<TypeParam>& p = drawn.problem;
  const Implementation& implementation = *find_implementation("cpu/ranks/two_step");
  const Solution<TypeParam> right = solve(p, implementation.name);
  auto wrong_label = right, wrong_mean = right, no_label = right;
  wrong_label.labels[4321] = (wrong_label.labels[4321] + 4) % 9;
  wrong_mean.centroids[5] *= TypeParam(1.001);
  no_label.labels[3000] = 9;
  for (const Solution<TypeParam>& solution : std::vector{right, wrong_label, wrong_mean, no_label})
    for (const int ranks : {1, 2, 5, 7}) {
      const Judgement alone = judge(p, solution, implementation.description, config_of(implementation));
      std::vector<Judgement> made(std::size_t(ranks), Judgement{});
      on_threads(ranks, [&](Group& group) {
        const Problem<TypeParam> mine = even_share(p, group);
        made[std::size_t(group.rank())] = judge(mine, share(solution, mine), implementation.description, config_of(implementation));
      });
      for (const Judgement& one : made) {
        EXPECT_EQ(one.verdict, alone.verdict);
        EXPECT_EQ(one.cluster_sizes, alone.cluster_sizes);
        EXPECT_EQ(one.judged_points, alone.judged_points);
        EXPECT_EQ(one.mean_error, made[0].mean_error);
        EXPECT_NEAR(one.mean_error, alone.mean_error, 1e-12 * alone.mean_error);
        EXPECT_EQ(one.inertia, made[0].inertia);
        EXPECT_NEAR(one.inertia, alone.inertia, 1e-12 * alone.inertia);
      }
    }
}

// A point that comes and goes leaves the sums as they were: all points summed anew give the same bits.
TYPED_TEST(RanksOfThreads, MovedPointsGiveTheBitsOfAllPoints) {
  const Drawn<TypeParam> drawn({.n = 3001, .d = 3, .k = 40, .max_iters = 60}, uniform(11, -1.0, 1e4));
  const auto all = solve(drawn.problem, "cpu/ranks/two_step");
  for (const Implementation* one : with_shards()) expect_same_bits(on_ranks(*one, drawn.problem, {0, 999, 2000}), all, one->name);
}

// What the judge sends depends on k and d alone.
TEST(JudgeOfRanks, SendsLessThanAMegabyteForAnyNumberOfPoints) {
  const Implementation& implementation = *find_implementation("cpu/ranks/two_step");
  const auto drawn_of = [](std::int64_t n) { return Drawn<float>({.n = n, .d = 16, .k = 100, .max_iters = 2}, uniform(7, -1e2, 1e2)); };
  std::vector<std::size_t> judging;
  for (const std::int64_t n : {2'000, 6'000}) {
    const auto drawn = drawn_of(n);
    const Solution<float> solution = solve(drawn.problem, implementation.name);
    judging.push_back(on_threads(4, [&](Group& group) {
      const Problem<float> mine = even_share(drawn.problem, group);
      EXPECT_EQ(judge(mine, share(solution, mine), implementation.description, config_of(implementation)).verdict, "");
    }));
  }
  EXPECT_EQ(judging[0], judging[1]);
  const auto drawn = drawn_of(300'000);  // of which the replay's sample is as large as any
  const std::size_t sampling = on_threads(4, [&](Group& group) {
    std::mt19937_64 draws(1);
    sample_with_witnesses(even_share(drawn.problem, group), Distance::difference, draws);
  });
  EXPECT_LT(judging[0] + sampling, 1'000'000u) << judging[0] << " to judge, " << sampling << " for the sample";
}

/// Replays on so many ranks; `seen` gets the rows of every rank in every run, or those of a process without ranks. one_alone_errs: the latter ends elsewhere.
std::string replayed(int ranks, std::set<std::pair<int, std::int64_t>>& seen, bool one_alone_errs) {
  const Implementation& two_step = *find_implementation("cpu/ranks/two_step");
  std::mutex one_at_a_time;
  Implementation noting{"noting", two_step.description, nullptr, nullptr};
  const auto prepare = two_step.prepare<double>();
  noting.fp64 = [&](const Problem<double>& p, const Config& config, Trace& trace) {
    {
      const std::lock_guard lock(one_at_a_time);
      seen.emplace(p.group ? p.group->rank() : -1, p.n);
    }
    return prepare(p, config, trace);
  };
  struct Else : AnySolver<double> {
    std::unique_ptr<AnySolver<double>> right;
    void reset() override { right->reset(); }
    int iterate(Trace& trace) override { return right->iterate(trace); }
    Solution<double> download() override {
      Solution<double> solution = right->download();
      solution.centroids[0] += 0.1;
      return solution;
    }
  };
  if (one_alone_errs)
    noting.fp64 = [right = noting.fp64](const Problem<double>& p, const Config& config, Trace& trace) -> std::unique_ptr<AnySolver<double>> {
      if (p.group) return right(p, config, trace);
      auto made = std::make_unique<Else>();
      made->right = right(p, config, trace);
      return made;
    };
  const Drawn<double> drawn({.n = 600, .d = 2, .k = 3, .max_iters = 4}, uniform(7, -1.0, 1.0));
  const Solution<double> solution = solve(drawn.problem, two_step.name);
  std::vector<std::string> verdicts(std::size_t(ranks), "");
  on_threads(ranks, [&](Group& group) {
    const Problem<double> mine = even_share(drawn.problem, group);
    const Evidence<double> evidence{.first = share(solution, mine), .others = {}};
    const Config config = config_of(noting);
    verdicts[std::size_t(group.rank())] = replay(noting, config, mine, evidence, Judge<double>(mine, noting.description, config)).verdict;
  });
  EXPECT_EQ(std::set(verdicts.begin(), verdicts.end()).size(), 1u);
  return verdicts[0];
}

TEST(ReplayOverRanks, HasARankWithoutPointsAndOneWithAPointAndComparesWithOne) {
  for (const int ranks : {2, 3, 5}) {
    std::set<std::pair<int, std::int64_t>> seen;
    EXPECT_EQ(replayed(ranks, seen, false), "");
    for (const std::int64_t few : {0, 1})
      EXPECT_TRUE(std::ranges::any_of(seen, [few](const auto& one) { return one.first >= 0 && one.second == few; })) << ranks << ", " << few;
    EXPECT_TRUE(std::ranges::any_of(seen, [](const auto& one) { return one.first < 0; })) << "one without the others";
    EXPECT_NE(replayed(ranks, seen, true).find("end with other centroids than one does"), std::string::npos);
  }
}

TEST(SharedGpu, IsWhereTwoRanksHaveTheSame) {
  Meeting meeting(2);
  EXPECT_EQ(explain_shared_gpu(ThreadGroup(meeting, 0), {7, 8}), "");
  EXPECT_TRUE(explain_shared_gpu(ThreadGroup(meeting, 0), {7, 7}).starts_with("2 ranks of a machine share its "));
}

TEST(Launcher, ThatEndsAtOnceIsTriedThreeTimes) {
  std::string said;
  const JobEvents events{.ended = [&](const std::string& id, const std::string&, const std::string& why) { said += id + ": " + why + ";"; }};
  EXPECT_TRUE(Workers({"kmbench"}, {}, {"false"}).run({{.id = "a", .timeout_s = 60, .data = "-"}}, events).empty());
  EXPECT_EQ(said, "a: 3 workers did not begin with it; of the last: the launcher ended with exit code 1 in the middle;");
}

TEST(Launcher, ThatNeverBeginsEndsATuning) {
  Workers none({"kmbench"}, {}, {"false"});
  const Case c = expand(sweep_with({}), "he2021/table3", "paper").at(0);
  EXPECT_THROW(measure_point(none, c, 60, {}), std::runtime_error);
}

TEST(Launcher, ThatTakesTooLongIsToldWhatAllowsMore) {
  const std::vector<std::string> slow{"sh", "-c", "read -r secret; echo \"$secret start a\"; exec sleep 60"};
  for (const std::string longer : {"--timeout", "a longer --budget"}) {
    std::string said;
    const JobEvents events{.ended = [&](const std::string&, const std::string&, const std::string& why) { said = why; }};
    EXPECT_TRUE(Workers({"kmbench"}, {.longer = longer.c_str()}, slow).run({{.id = "a", .timeout_s = 0.3, .data = "-"}}, events).empty());
    EXPECT_EQ(said, "no end after 0.3 s; " + longer + " allows more");
  }
}

TEST(Launcher, ThatDoesNotEndWhenAskedIsKilled) {
  const WorkerLimits limits{.until = std::chrono::steady_clock::now() + std::chrono::milliseconds(100)};
  const std::vector<std::string> stubborn{"sh", "-c", "trap '' TERM; while :; do sleep 1; done"};
  EXPECT_EQ(Workers({"kmbench"}, limits, stubborn).run({{.id = "a", .timeout_s = 60, .data = "-"}}, {}), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace km

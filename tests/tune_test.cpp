// Tuning: the space, the order of a search, its best point, and the values that a run gets. Its end: the test of kmbench compare in C++, what counts
// as a round, and what is surely faster.
#include <omp.h>

#include <nlohmann/json.hpp>
#include <set>

#include "bench/base/home.hpp"
#include "bench/plan/sweep.hpp"
#include "bench/tune/finals.hpp"
#include "bench/tune/history.hpp"
#include "bench/tune/rounds.hpp"
#include "bench/tune/space.hpp"
#include "bench/tune/store.hpp"
#include "bench/tune/tune.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/sweeps.hpp"

namespace km {
namespace {

Case problem(std::int64_t n = 1000, int k = 4, const std::string& precision = "fp32", const std::string& name = "faults/fast_where_wrong") {
  return case_with({{"implementation", {word(name)}}, {"n", {whole(n)}}, {"k", {whole(k)}}, {"precision", {word(precision)}}});
}

std::vector<Value> numbers(std::initializer_list<std::int64_t> values) { return {values.begin(), values.end()}; }

/// 6 x 2 points, of which those with pace 32 cannot run.
TuningSpace space() { return TuningSpace(problem(), {}); }

/// Records the points that a search asks for, in order, and gives each a time.
struct Asked {
  std::vector<std::pair<TuningPoint, int>> order;
  std::size_t most = 1000;
  std::function<std::optional<double>(const TuningPoint&)> time;

  Evaluate evaluate() {
    return [this](const TuningPoint& point, int runs) {
      if (order.size() == most) throw SearchOver();
      order.emplace_back(point, runs);
      return time(point);
    };
  }
};

TEST(TuningSpace, IsTheRangesOfTheTunableParameters) {
  const auto all = space();
  EXPECT_EQ(all.names(), (std::vector<std::string>{"pace", "idle"}));
  EXPECT_EQ(all.size(), 12);
  EXPECT_EQ(all.at({2, 1}).config.number("pace"), 4);
  EXPECT_EQ(all.at({2, 1}).config.number("idle"), 2);
  EXPECT_EQ(all.at({5, 0}).skip, "pace 32 is too fast");
  EXPECT_EQ(all.at(all.start()).id(), problem().id());
}

TEST(TuningSpace, HoldsTheValuesAskedForAndTheDefault) {
  const TuningSpace asked(problem(), {{"pace", numbers({4, 8})}, {"idle", numbers({2})}});
  EXPECT_EQ(asked.names(), std::vector<std::string>{"pace"});
  EXPECT_EQ(asked.axes()[0].values, numbers({1, 4, 8}));
  EXPECT_EQ(asked.start(), TuningPoint{0});
  EXPECT_EQ(TuningSpace(problem(), {{"pace", numbers({8, 1, 4, 8})}}).axes()[0].values, numbers({1, 4, 8})) << "sorted, each once";
  expect_has(complaint_of([] { TuningSpace(problem(), {{"pace", numbers({4})}, {"idle", numbers({2})}}); }), {"no tunable parameter"});
}

TEST(TuningSpace, KnowsItsOwnCases) {
  EXPECT_TRUE(space().holds(space().at({3, 1})));
  EXPECT_FALSE(TuningSpace(problem(), {{"pace", numbers({4, 8})}}).holds(space().at({1, 0})));
  EXPECT_FALSE(space().holds(problem(2000)));
}

TEST(TuningSpace, TriesOneOfTheValuesThatComeToTheSameAndNothingBeyondTheHardware) {
  const auto all = std::int64_t(omp_get_num_procs());
  const auto with = [](const std::string& name, const std::map<std::string, std::vector<Value>>& tried) {
    return TuningSpace(problem(1000, 4, "fp32", name), tried);
  };
  const TuningSpace threads = with("cpu/lloyd/out_of_core", {{"threads", numbers({0, 1, all, all + 1, 10'000})}, {"chunk", numbers({1, 2})}});
  const auto& values = threads.axes()[1];
  EXPECT_EQ(values.name, "threads");
  EXPECT_EQ(values.values, all > 1 ? numbers({0, 1}) : numbers({0}));
  EXPECT_EQ(threads.merged().back(), "threads=10000 as threads=0");
  const TuningSpace chunks = with("cpu/lloyd/out_of_core", {{"chunk", numbers({1, 64, 1024, 16384})}, {"threads", numbers({0})}});
  EXPECT_EQ(chunks.axes()[0].values, numbers({1, 16384})) << "64 KiB already hold all 1000 points: the default stays for them";
  expect_has(complaint_of([&] {
               with("cpu/lloyd/two_step", {{"threads", numbers({0, 9999})}});
             }),
             {"no tunable parameter", "threads=9999 as threads=0"});
}

TEST(Search, BeginsWithTheDefaultsAndTriesEverythingOnce) {
  for (const std::string strategy : {"exhaustive", "random"}) {
    Asked asked{.time = [](const TuningPoint&) { return 1.0; }};
    search(strategy, space(), 1, 2, asked.evaluate());
    std::set<TuningPoint> points;
    for (const auto& [point, runs] : asked.order) {
      points.insert(point);
      EXPECT_EQ(runs, 2);
    }
    EXPECT_EQ(asked.order.front().first, space().start()) << strategy;
    EXPECT_EQ(points.size(), strategy == "random" ? 10u : 12u) << strategy << ": at random only what can run";
  }
}

TEST(Search, ASeedDrawsTheSamePoints) {
  const auto drawn = [](std::uint64_t seed) {
    Asked asked{.time = [](const TuningPoint&) { return 1.0; }};
    search("random", space(), seed, 1, asked.evaluate());
    return asked.order;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
}

TEST(Search, DescentGoesToTheLeast) {
  const TuningSpace wide(problem(), {{"pace", numbers({1, 2, 3, 4, 5, 6, 7, 8})}, {"idle", numbers({1, 2})}});
  const auto bowl = [](const TuningPoint& p) { return std::optional(1.0 + double((p[0] - 5.0) * (p[0] - 5.0)) + (p[1] == 1 ? 0.0 : 0.5)); };
  Asked asked{.most = 12, .time = bowl};
  EXPECT_THROW(search("descent", wide, 1, 1, asked.evaluate()), SearchOver);
  const auto best = std::ranges::min_element(asked.order, {}, [&](const auto& one) { return *bowl(one.first); });
  EXPECT_EQ(best->first, (TuningPoint{5, 1}));
}

TEST(Search, DescentPassesOverWhatDoesNotCount) {
  const TuningSpace wide(problem(), {{"pace", numbers({1, 2, 3, 4, 5, 6})}, {"idle", numbers({1})}});
  Asked asked{.time = [](const TuningPoint& p) { return p[0] == 1 ? std::nullopt : std::optional(10.0 - double(p[0])); }};
  search("descent", wide, 1, 1, asked.evaluate());
  EXPECT_TRUE(std::ranges::any_of(asked.order, [](const auto& one) { return one.first == TuningPoint{5}; })) << "one wrong value is no wall";
}

TEST(Search, HalvingGivesTheBetterMoreRuns) {
  std::vector<std::int64_t> paces;
  for (int pace = 1; pace <= 30; ++pace) paces.push_back(pace);
  const TuningSpace wide(problem(), {{"pace", std::vector<Value>(paces.begin(), paces.end())}, {"idle", numbers({1, 2})}});
  Asked asked{.most = 41, .time = [](const TuningPoint& p) { return double(p[0] + 1); }};
  EXPECT_THROW(search("halving", wide, 1, 2, asked.evaluate()), SearchOver);
  std::map<int, std::vector<std::size_t>> paces_by_runs;
  for (std::size_t at = 1; at < asked.order.size(); ++at) paces_by_runs[asked.order[at].second].push_back(asked.order[at].first[0]);
  EXPECT_EQ(paces_by_runs[2].size(), 27u);
  EXPECT_EQ(paces_by_runs[6].size(), 9u);
  EXPECT_EQ(paces_by_runs[18].size(), 3u);
  EXPECT_EQ(paces_by_runs[54].size(), 1u);
  EXPECT_EQ(paces_by_runs[54][0], *std::ranges::min_element(paces_by_runs[2])) << "the best of all 27";
}

TEST(Search, EndsWhereNothingIsLeft) {
  for (const auto& strategy : tuning_strategies()) {
    Asked asked{.time = [](const TuningPoint&) { return std::nullopt; }};
    search(strategy, space(), 1, 1, asked.evaluate());
    EXPECT_LT(asked.order.size(), 1000u) << strategy;
  }
}

// ---- the best point ----

class TuningFiles : public Files {
 protected:
  /// A result line of a point, with this time, verdict and grade.
  Json line(const TuningPoint& point, double seconds, const std::string& verdict = "", const std::string& grade = "exact", int runs = 2) const {
    Json made = skeleton(space().at(point), {}, "m");
    made["dirty"] = false;
    made["verdict"] = verdict;
    if (!verdict.empty()) return made;
    made["grade"] = grade;
    made["iterations"] = 10;
    for (int run = 0; run < runs; ++run) made["samples_s"].push_back(seconds);
    return made;
  }
  History history(const std::vector<Json>& lines, const std::string& machine = "m", bool dirty = false) const {
    std::ofstream out(folder_ / "points.jsonl");
    for (const auto& one : lines) out << one.dump() << "\n";
    out.close();
    return {folder_ / "points.jsonl", machine, dirty};
  }
  /// The case with the tuned values of this folder, but for the parameters that were given.
  Case applied(Case c, const std::set<std::string>& given = {}) const {
    TunedValues(folder_, "m").apply(c, given);
    return c;
  }
};

TEST_F(TuningFiles, TheBestIsTheFastestThatIsRight) {
  const auto known = history({line({0, 0}, 4), line({1, 0}, 2), line({3, 0}, 0.1, "point 0 has another label"), line({2, 0}, 3)});
  const Found found = found_in(known, space(), 2);
  ASSERT_EQ(found.best.size(), 3u);
  EXPECT_EQ(found.best[0].config.number("pace"), 2);
  EXPECT_EQ(found.best[1].config.number("pace"), 4);
  EXPECT_EQ(found.settings, 4);
  EXPECT_EQ(found.wrong, 1);
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0], std::pair(std::string("pace=8 idle=1"), std::string("wrong: point 0 has another label")));
}

TEST_F(TuningFiles, AWorseGradeThanTheDefaultsDoesNotCount) {
  EXPECT_EQ(found_in(history({line({0, 0}, 4), line({1, 0}, 2, "", "coarse")}), space(), 2).best.front().config.number("pace"), 1);
  EXPECT_EQ(found_in(history({line({0, 0}, 4), line({1, 0}, 2, "", "rounded")}), space(), 2).best.front().config.number("pace"), 1);
  EXPECT_EQ(found_in(history({line({0, 0}, 4, "", "coarse"), line({1, 0}, 2, "", "coarse")}), space(), 2).best.front().config.number("pace"), 2);
  EXPECT_EQ(found_in(history({line({0, 0}, 4, "", "exact", 1), line({1, 0}, 2, "", "coarse")}), space(), 1).best.front().config.number("pace"), 1);
}

TEST_F(TuningFiles, FewerRunsThanAskedForDoNotWin) {
  EXPECT_EQ(found_in(history({line({0, 0}, 4, "", "exact", 6), line({1, 0}, 2)}), space(), 6).best.front().config.number("pace"), 1);
  EXPECT_EQ(found_in(history({line({0, 0}, 2), line({1, 0}, 4, "", "exact", 6)}), space(), 6).best.front().config.number("pace"), 2)
      << "in any order";
  EXPECT_EQ(found_in(history({line({0, 0}, 4), line({1, 0}, 2)}), space(), 6).best.front().config.number("pace"), 2) << "unless nobody has as many";
}

TEST_F(TuningFiles, TheLastLineOfTheDefaultsGradesThem) {
  const Found found = found_in(history({line({0, 0}, 4), line({0, 0}, 4, "", "rounded", 6), line({1, 0}, 2, "", "rounded", 6)}), space(), 6);
  ASSERT_EQ(found.best.size(), 2u) << "the defaults are one of them";
  EXPECT_EQ(found.best.front().config.number("pace"), 2);
}

TEST_F(TuningFiles, AFailureIsTriedAgain) {
  Json failed = line({1, 0}, 2, "wrong");
  failed["verdict"] = nullptr, failed["failure"] = "no end after 1 s; --timeout allows more";
  EXPECT_EQ(history({failed}).find(space().at({1, 0}).id(), 1), nullptr);
}

TEST_F(TuningFiles, AnAnswerIsTheFirstLineWithSoManyRuns) {
  const auto known = history({line({0, 0}, 4, "", "exact", 2), line({0, 0}, 3, "", "exact", 6)});
  const std::string id = space().at({0, 0}).id();
  EXPECT_DOUBLE_EQ(known.find(id, 2)->seconds, 0.4);
  EXPECT_DOUBLE_EQ(known.find(id, 6)->seconds, 0.3);
  EXPECT_EQ(known.find(id, 7), nullptr);
  EXPECT_EQ(known.find("nobody", 1), nullptr);
}

TEST_F(TuningFiles, LinesOfOtherMachinesAndCommitsAreLeftAside) {
  Json other = line({1, 0}, 2);
  other["commit"] = "0000";
  EXPECT_EQ(history({line({0, 0}, 4), other}).others(), 1);
  EXPECT_EQ(history({line({0, 0}, 4)}, "another").others(), 1);
}

TEST_F(TuningFiles, LinesOfUncommittedChangesAreLeftAside) {
  Json changed = line({1, 0}, 2);
  changed["dirty"] = true;
  EXPECT_EQ(history({line({0, 0}, 4), changed}).others(), 1);
  EXPECT_EQ(history({line({0, 0}, 4), changed}, "m", true).others(), 2) << "these changes may be other ones";
}

TEST_F(TuningFiles, ABusyMachineIsRefusedBeforeAnythingIsWritten) {
  const TuneOptions options{.busy = "the machine is not quiet: load 11.00 on 2 threads", .folder = folder_ / "tuning"};
  expect_has(complaint_of([&] { tune(space(), options); }), {"load 11.00 on 2 threads", "--anyway"});
  EXPECT_FALSE(fs::exists(folder_ / "tuning"));
}

// ---- the values that a run gets ----

TEST_F(TuningFiles, TheNearestIsTheLeastFar) {
  TunedValues values(folder_, "m");
  const auto keep = [&](std::int64_t n, const TuningPoint& point) { values.keep(TuningSpace(problem(n), {}).at(point), {}, Json::object()); };
  keep(1'000, {1, 0});
  keep(100'000, {2, 0});
  EXPECT_EQ(applied(problem(4'000)).config.number("pace"), 2);
  EXPECT_EQ(applied(problem(40'000)).config.number("pace"), 4);
}

TEST_F(TuningFiles, ValuesThatCannotRunAreNoValues) {
  TunedValues(folder_, "m").keep(space().at({5, 0}), {}, Json::object());  // pace 32 says no
  const Case c = applied(problem());
  EXPECT_EQ(c.tuned, "default");
  EXPECT_EQ(c.config.number("pace"), 1);
  EXPECT_EQ(c.skip, "");
}

using Times = std::vector<double>;

/// tests/python/test_rates.py holds plots/decide/change.py to the same numbers.
TEST(Rounds, AreTestedAsCompareTestsThem) {
  std::ifstream in(home() / "tests/rounds.json");
  const auto cases = nlohmann::json::parse(in);
  ASSERT_GE(cases.size(), 5u);
  for (const auto& one : cases) {
    const Change change = change_of(one["before"].get<Times>(), one["after"].get<Times>());
    EXPECT_EQ(change.rounds, one["before"].size());
    for (const auto& [name, value] : {std::pair{"ratio", change.ratio}, {"low", change.low}, {"high", change.high}, {"p", change.p}})
      EXPECT_NEAR(value, one[name].get<double>(), 1e-6 * one[name].get<double>()) << name;
  }
}

TEST(Rounds, SurelyFasterIsPastFivePercentInTheWholeInterval) {
  const auto change = [](double factor, std::size_t rounds) {
    Times before, after;
    for (std::size_t i = 0; i < rounds; ++i) {
      before.push_back(1 + 0.001 * double(i));
      after.push_back(before.back() * factor * (1 + 0.004 * (double(i % 3) - 1)));
    }
    return change_of(before, after);
  };
  EXPECT_TRUE(surely_faster(change(0.9, 12), 1));
  EXPECT_FALSE(surely_faster(change(0.96, 40), 1)) << "sure, and less than 5%";
  EXPECT_FALSE(surely_faster(change(1.2, 40), 1));
  EXPECT_FALSE(surely_faster(change(0.5, 5), 1)) << "five rounds show nothing";
  EXPECT_TRUE(surely_faster(change(0.5, 7), 3));
  EXPECT_FALSE(surely_faster(change(0.5, 7), 4)) << "more tests need more rounds";
  EXPECT_EQ(fewest_rounds(1), 6u);
  EXPECT_EQ(fewest_rounds(3), 7u);
}

nlohmann::ordered_json line(const Times& samples, const Times& delays) {
  return {{"samples_s", samples}, {"run_delay_s", delays}, {"involuntary_switches", nullptr}, {"iterations", 10}};
}

TEST(Finals, TheLeastUndisturbedRunCounts) {
  EXPECT_DOUBLE_EQ(least_run_s(line({3, 1, 2}, {0, 0.5, 0}), false), 0.2);
  EXPECT_DOUBLE_EQ(least_run_s(line({3, 1, 2}, {0, 0.5, 0}), true), 0.1);
  EXPECT_EQ(least_run_s(line({3, 1, 2}, {0, 0.5, 0.5}), false), 0) << "most runs are disturbed";
  EXPECT_DOUBLE_EQ(least_run_s(line({3, 1, 2}, {0, 0.5, 0.5}), true), 0.1);
}

TEST(Finals, AreAtLeastTwelveRoundsHoweverShortTheBudget) {
  const FinalsOptions options{.rounds = 40, .budget_s = 60};
  EXPECT_TRUE(options.another(11, 61) && options.another(39, 60));
  EXPECT_FALSE(options.another(12, 61) || options.another(40, 60));
}

TEST(Finals, OnlyRoundsOfBothArePaired) {
  const Finalist defaults{.c = {}, .rounds_s = {1, 0, 1, 1, 1, 1, 1, 1, 1}}, other{.c = {}, .rounds_s = {0.5, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 0.5}};
  const Change change = change_between(defaults, other);
  EXPECT_EQ(change.rounds, 7u);
  EXPECT_NEAR(change.ratio, 0.5, 1e-3);
  EXPECT_DOUBLE_EQ(typical_s(other), 0.5);
  EXPECT_EQ(typical_s({.c = {}, .rounds_s = {0, 0}}), 0);
  EXPECT_EQ(change_between({.c = {}}, other).p, 1) << "no round";
}

}  // namespace
}  // namespace km

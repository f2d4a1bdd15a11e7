// Advice names the fastest right candidate, says how sure that is, and gives the others' reasons. Successive halving keeps the fast ones, stays in
// its time, and tries the most promising first: runs and clock are made up.
#include <omp.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "bench/run/result.hpp"
#include "bench/tune/advise.hpp"
#include "bench/tune/rounds.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/sweeps.hpp"

namespace km {
namespace {

/// A candidate with these samples of ten iterations on 1000 points.
Advised candidate(const std::string& name, std::vector<double> samples, const std::string& grade = "exact", const std::string& verdict = "") {
  Advised one{.c = case_with({{"implementation", {word(name)}}}), .again = true};
  Json line = skeleton(one.c, {}, "m");
  line["verdict"] = verdict;
  if (verdict.empty()) {
    line["grade"] = grade;
    line["iterations"] = 10;
    line["samples_s"] = std::move(samples);
  }
  one.line = std::make_shared<const Json>(std::move(line));
  return one;
}

/// The same with this field of its line.
Advised changed(Advised one, const char* field, const Json& value) {
  Json line = *one.line;
  line[field] = value;
  one.line = std::make_shared<const Json>(std::move(line));
  return one;
}

const std::vector<double> fast = {1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6}, slow = {2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6},
                          as_fast = {0.9, 1.05, 1.25, 1.35, 1.45, 1.55, 1.7};

TEST(RankTest, IsExact) {
  EXPECT_DOUBLE_EQ(chance_of_ranks(std::vector{1.0}, std::vector{2.0}), 0.5);
  EXPECT_DOUBLE_EQ(chance_of_ranks(std::vector{2.0}, std::vector{1.0}), 1);
  EXPECT_DOUBLE_EQ(chance_of_ranks(fast, slow), 1.0 / 3432) << "7 of 14 in one way of all";
  EXPECT_DOUBLE_EQ(chance_of_ranks(std::vector{1.0, 2.0, 4.0}, std::vector{3.0, 5.0, 6.0}), 2.0 / 20) << "one pair of nine is turned";
  EXPECT_GT(chance_of_ranks(fast, fast), 0.4);
}

TEST(Advice, NamesTheFastestThatIsRight) {
  const std::vector<Advised> all = {candidate("cpu/lloyd/naive", slow), candidate("cpu/lloyd/two_step", fast),
                                    candidate("cpu/lloyd/naive_soa", {}, "", "one label is wrong"),
                                    candidate("cpu/lloyd/reference", {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, "coarse")};
  const std::string text = advice(all);
  EXPECT_TRUE(text.starts_with("Fastest, and exact: cpu/lloyd/two_step, 1300 ms (1000 to 1600) for 10 iterations; sure (p = 0.0006")) << text;
  expect_shows(text, {"the next, cpu/lloyd/naive, takes 1.77 times as long"});
  expect_lacks(text, {"naive_soa", "reference"});
}

TEST(Advice, SaysWhereItIsNotSure) {
  expect_shows(advice({candidate("cpu/lloyd/naive", as_fast), candidate("cpu/lloyd/two_step", fast)}), {"not sure: cpu/lloyd/naive may be as fast"});
}

/// The same after one run.
Advised once(Advised one) {
  one.again = false;
  return one;
}

TEST(Advice, NamesAFinalistAndWhoWasFasterInItsOnlyRun) {
  const std::vector<Advised> all = {once(candidate("cpu/lloyd/single_pass", {0.5})), candidate("cpu/lloyd/naive", slow),
                                    candidate("cpu/lloyd/two_step", fast)};
  const std::string text = advice(all);
  expect_shows(text, {"Fastest, and exact: cpu/lloyd/two_step, 1300 ms",
                      "not sure: cpu/lloyd/single_pass took less in its only run, a longer --budget compares them"});
  expect_lacks(text, {"each ran once"});
  EXPECT_LT(advice_table(all, 0).find("single_pass"), advice_table(all, 0).find("two_step")) << "the table is by time";
}

TEST(Advice, SaysWhatWasNotMeasuredBesideTheBest) {
  const Advised naive = candidate("cpu/lloyd/naive", slow), exact = candidate("cpu/lloyd/two_step", fast);
  const Advised rounded = candidate("cpu/lloyd/two_step", fast, "rounded"), less = changed(candidate("cpu/lloyd/naive", {0.1}), "n", 250);
  expect_shows(advice({naive, rounded}), {"Fastest at all: cpu/lloyd/two_step", "Fastest exact: cpu/lloyd/naive"});
  expect_shows(advice({naive, rounded}), {"; no other exact one was measured."});
  expect_shows(advice({rounded}), {"None of those measured is exact"});
  expect_shows(advice({naive}), {"; no other right one was measured."});
  expect_shows(advice({once(naive), once(rounded)}), {"not sure: it ran once, a longer --budget compares it with others"});
  expect_shows(advice({naive, once(less)}), {"not sure: no other ran beside it on as many points"});
  expect_shows(advice({less, exact}), {"Fastest, and exact: cpu/lloyd/two_step"});
  expect_shows(advice_table({less, exact}, 0), {"exact, 1 run beside the others on 250 points: others were faster"});
  expect_shows(advice({less}), {"cpu/lloyd/naive, 100 ms for 10 iterations on the first 250 points"});
}

TEST(Advice, SaysWhatItHadNoTimeFor) {
  EXPECT_EQ(advice({}), "No candidate has a right result that may be advised.\n");
  EXPECT_EQ(advice({candidate("cpu/lloyd/naive", slow, "coarse")}), "No candidate has a right result that may be advised.\n");
  Advised untried = candidate("cpu/lloyd/naive", slow);
  untried.line = nullptr;
  Advised slow_one = untried;
  slow_one.cut = "too slow: no end within 2 s on 1000 points";
  expect_shows(advice({candidate("cpu/lloyd/two_step", fast), untried}), {"Not tried: cpu/lloyd/naive. A longer --budget tries them."});
  expect_lacks(advice({candidate("cpu/lloyd/two_step", fast), slow_one}), {"Not tried"});
  expect_shows(advice_table({candidate("cpu/lloyd/two_step", fast), slow_one}, 0), {"too slow: no end within 2 s"});
}

TEST(Advice, TheTableSaysHowManyLabelsDiffer) {
  const Advised some = changed(changed(candidate("cpu/lloyd/naive", fast, "coarse"), "wrong_labels", 25), "judged_points", 1000);
  expect_shows(advice_table({some}, 0), {"coarse, 2.5% of the labels differ from fp64's, 7 runs beside the others"});
  expect_lacks(advice_table({changed(some, "wrong_labels", 0)}, 0), {"differ"});
}

TEST(Advice, TheTableGivesAReasonForATime) {
  const std::string text = advice_table({candidate("cpu/lloyd/naive", {}, "", "one label is wrong"), candidate("cpu/lloyd/two_step", fast)}, 0);
  EXPECT_LT(text.find("two_step"), text.find("naive")) << text;
  expect_shows(text, {"wrong: one label is wrong", "1300", "130", "10"});
}

TEST(LastRuns, TakeTheFastestAndTheFastestExactAsOftenAsTimeAllows) {
  std::vector<Advised> all;
  for (const auto& [name, seconds, grade] : std::vector<std::tuple<const char*, double, const char*>>{{"cpu/lloyd/naive", 4.0, "exact"},
                                                                                                      {"cpu/lloyd/two_step", 1.0, "rounded"},
                                                                                                      {"cpu/lloyd/single_pass", 2.0, "rounded"},
                                                                                                      {"cpu/lloyd/multi_pass", 3.0, "rounded"},
                                                                                                      {"cpu/lloyd/reference", 0.1, "coarse"}}) {
    all.push_back(candidate(name, {seconds}, grade));
    all.back().wall_s = seconds;
    all.back().again = false;
  }
  using Who = std::vector<std::size_t>;
  EXPECT_EQ(last_runs_of(all, 7, 1e9).who, (Who{1, 2, 3, 0}));
  EXPECT_EQ(last_runs_of(all, 7, 1e9).repetitions, 7);
  const LastRuns fewer = last_runs_of(all, 7, 60);  // 18 s of each second with 7 runs, 14 s with 5
  EXPECT_EQ(fewer.who, (Who{1, 2}));
  EXPECT_EQ(fewer.repetitions, 7);
  EXPECT_EQ(last_runs_of(all, 7, 45).repetitions, 5);
  EXPECT_TRUE(last_runs_of(all, 7, 41).who.empty());
  EXPECT_EQ(last_runs_of({all[0]}, 3, 1e9).who, (Who{0})) << "alone, it is measured again as well";
  EXPECT_TRUE(last_runs_of({}, 7, 1e9).who.empty());
  for (const std::size_t at : {0, 1}) all[at].again = true;
  EXPECT_TRUE(last_runs_of(all, 7, 1e9).who.empty()) << "the fastest and the fastest exact have run again";
  all[1].line = candidate("cpu/lloyd/two_step", {2.5}, "rounded").line;
  EXPECT_EQ(last_runs_of(all, 7, 1e9).who, (Who{2, 1, 3, 0})) << "in the final it was slower than one that was left out";
  all[0].again = false;
  for (const std::size_t at : {1, 2}) all[at].again = true;
  EXPECT_TRUE(last_runs_of(all, 7, 60).who.empty()) << "the fastest exact does not fit, and the others have run again";
}

/// A machine on which each implementation needs its own seconds for a point, and a library more to start. A wrong one has none.
struct Machine {
  std::map<std::string, double> pace;
  double now_s = 0;
  std::vector<std::pair<std::string, std::int64_t>> ran = {};
  std::string exact = "";  // only this one
  double start_s = 0;      // of a library

  Trials trials() {
    return {.elapsed_s = [this] { return now_s; }, .run = [this](const Case& c, double limit_s) { return run(c, limit_s); }};
  }

  std::shared_ptr<const Json> run(const Case& c, double limit_s) {
    EXPECT_TRUE(c.once);
    ran.emplace_back(c.implementation_name, c.n);
    const double needed_s = pace.at(c.implementation_name) * double(c.n);
    const double wall_s = needed_s + (c.implementation_name.starts_with("library/") ? start_s : 0);
    Json line = skeleton(c, {}, "m");
    now_s += std::min(wall_s, limit_s + 1e-3);
    if (wall_s > limit_s) line["failure"] = "no end";
    else
      line.update({{"verdict", ""}, {"grade", c.implementation_name == exact ? "exact" : "rounded"}, {"iterations", 1}, {"samples_s", {needed_s}}});
    return std::make_shared<const Json>(std::move(line));
  }

  std::vector<std::int64_t> points_of(const std::string& name) const {
    std::vector<std::int64_t> points;
    for (const auto& [who, n] : ran)
      if (who == name) points.push_back(n);
    return points;
  }
};

std::vector<Advised> candidates(const Machine& machine, std::int64_t n) {
  std::vector<Advised> all;
  for (const auto& [name, pace] : machine.pace) all.push_back({.c = case_with({{"implementation", {word(name)}}, {"n", {whole(n)}}})});
  return all;
}

using Points = std::vector<std::int64_t>;

const std::map<std::string, double> eight = {{"cpu/lloyd/auto", 1e-6},        {"cpu/lloyd/screened", 2e-6},   {"cpu/lloyd/two_step", 3e-6},
                                             {"cpu/lloyd/single_pass", 4e-6}, {"cpu/lloyd/multi_pass", 5e-6}, {"cpu/lloyd/naive", 1e-5},
                                             {"cpu/yinyang/global", 1.2e-5},  {"cpu/yinyang/local", 1.4e-5}};

TEST(Rounds, GrowByFour) {
  EXPECT_EQ(rounds_of(1000, 8), (Points{1000}));
  EXPECT_EQ(rounds_of(40'000, 8), (Points{10'000, 40'000}));
  EXPECT_EQ(rounds_of(40'000, 2000), (Points{40'000}));
  EXPECT_EQ(rounds_of(1'000'000, 8), (Points{15'625, 62'500, 250'000, 1'000'000}));
}

TEST(Halving, RunsTheBestAndTheFastestExactOneOnAllPointsAndTheOthersOnFewer) {
  for (const char* exact : {"", "cpu/yinyang/global"}) {
    Machine machine{.pace = eight, .exact = exact};
    auto all = candidates(machine, 160'000);
    ASSERT_TRUE(halve(all, 1000, machine.trials()));
    EXPECT_EQ(machine.points_of("cpu/lloyd/auto"), (Points{10'000, 40'000, 160'000})) << exact;
    EXPECT_EQ(machine.points_of("cpu/yinyang/global"), *exact ? (Points{10'000, 40'000, 160'000}) : Points{10'000}) << exact;
    if (*exact) continue;
    EXPECT_EQ(machine.points_of("cpu/lloyd/single_pass"), (Points{10'000, 40'000}));
    EXPECT_EQ(machine.points_of("cpu/yinyang/local"), (Points{10'000}));
    for (const auto& one : all) EXPECT_TRUE(one.line) << one.c.implementation_name;
  }
}

TEST(Halving, EndsInItsTime) {
  for (const double until_s : {0.6, 1.0, 2.0, 3.0, 10.0}) {
    Machine machine{.pace = eight};
    auto all = candidates(machine, 160'000);
    ASSERT_TRUE(halve(all, until_s, machine.trials()));
    EXPECT_LE(machine.now_s, until_s + 0.6);
    EXPECT_TRUE(std::ranges::any_of(all, can_be_advised)) << until_s;
  }
  Machine machine{.pace = eight, .now_s = 5};
  auto all = candidates(machine, 160'000);
  ASSERT_TRUE(halve(all, 3, machine.trials()));
  EXPECT_TRUE(machine.ran.empty()) << "reading the points took the budget";
}

TEST(Halving, CutsWhatIsManyTimesAsSlow) {
  Machine machine{.pace = {{"cpu/lloyd/auto", 1e-5}, {"cpu/lloyd/naive", 1}}};
  auto all = candidates(machine, 1000);
  ASSERT_TRUE(halve(all, 10, machine.trials()));
  for (const auto& one : all) EXPECT_EQ(one.cut, one.c.implementation_name == "cpu/lloyd/naive" ? "too slow: no end within 1 s on 1000 points" : "");
}

TEST(Halving, LeavesALibraryTheTimeToStart) {
  for (const double start_s : {3.0, 30.0}) {
    Machine machine{.pace = {{"cpu/lloyd/auto", 1e-5}, {"library/sklearn", 1e-5}}, .start_s = start_s};
    auto all = candidates(machine, 1000);
    for (auto& one : all) one.c.skip.clear();  // scikit-learn may not be here
    ASSERT_TRUE(halve(all, 18, machine.trials()));
    const auto library = std::ranges::find(all, "library/sklearn", [](const Advised& one) { return one.c.implementation_name; });
    EXPECT_EQ(library->cut, start_s < 10 ? "" : "no end within 12 s on 1000 points, with the start of its library");
    EXPECT_EQ(can_be_advised(*library), start_s < 10);
  }
}

TEST(Halving, StartsWithTheBestForecast) {
  Machine machine{.pace = eight};
  auto all = candidates(machine, 1000);
  ASSERT_TRUE(halve(all, 1000, machine.trials()));
  EXPECT_EQ(machine.ran.front().first, "cpu/lloyd/auto");
  EXPECT_TRUE(machine.ran.back().first == "cpu/lloyd/naive" || omp_get_num_procs() == 1) << "naive uses one thread";
}

TEST(Halving, EndsWhenInterrupted) {
  Machine machine{.pace = eight};
  auto all = candidates(machine, 1000);
  Trials trials = machine.trials();
  trials.run = [](const Case&, double) { return nullptr; };
  EXPECT_FALSE(halve(all, 1000, trials));
}

}  // namespace
}  // namespace km

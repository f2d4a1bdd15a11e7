// Successive halving keeps the fast ones, stays in its time, and tries the most promising first. Runs and clock are made up.
#include "bench/tune/advise.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/run/result.hpp"
#include "tests/sweeps.hpp"

namespace km {
namespace {

/// A machine on which each implementation needs its own seconds for a point. A wrong one has none.
struct Machine {
  std::map<std::string, double> pace;
  double now_s = 0;
  std::vector<std::pair<std::string, std::int64_t>> ran = {};
  std::string exact = "";  // only this one

  Trials trials() {
    return {.elapsed_s = [this] { return now_s; }, .run = [this](const Case& c, double limit_s) { return run(c, limit_s); }};
  }

  std::shared_ptr<const Json> run(const Case& c, double limit_s) {
    EXPECT_TRUE(c.once);
    ran.emplace_back(c.implementation_name, c.n);
    const double needed_s = pace.at(c.implementation_name) * double(c.n);
    Json line = skeleton(c, {}, "m");
    now_s += std::min(needed_s, limit_s + 1e-3);
    if (needed_s > limit_s) line["failure"] = "no end";
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

TEST(Halving, RunsTheBestOnAllPointsAndTheOthersOnFewer) {
  Machine machine{.pace = eight};
  auto all = candidates(machine, 160'000);
  ASSERT_TRUE(halve(all, 1000, machine.trials()));
  EXPECT_EQ(machine.points_of("cpu/lloyd/auto"), (Points{10'000, 40'000, 160'000}));
  EXPECT_EQ(machine.points_of("cpu/lloyd/single_pass"), (Points{10'000, 40'000}));
  EXPECT_EQ(machine.points_of("cpu/yinyang/local"), (Points{10'000}));
  for (const auto& one : all) EXPECT_TRUE(one.line) << one.c.implementation_name;
}

TEST(Halving, KeepsTheFastestExactOne) {
  Machine machine{.pace = eight, .exact = "cpu/yinyang/global"};
  auto all = candidates(machine, 160'000);
  ASSERT_TRUE(halve(all, 1000, machine.trials()));
  EXPECT_EQ(machine.points_of("cpu/yinyang/global"), (Points{10'000, 40'000, 160'000}));
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

// The end of a tuning: the test of kmbench compare in C++, what counts as a round, and what is surely faster.
#include "bench/tune/rounds.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/base/home.hpp"
#include "bench/tune/finals.hpp"

namespace km {
namespace {

using Times = std::vector<double>;

/// tests/python/test_rounds.py holds plots/decide/change.py to the same numbers.
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

// The terminal's words for a case as it ends. Samples are skewed, so that no statistic can stand in for another.
#include "bench/run/progress.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/base/text.hpp"
#include "bench/run/result.hpp"

namespace km {
namespace {

Json right(std::vector<double> samples_s) {
  return {{"skip", nullptr},
          {"failure", nullptr},
          {"verdict", ""},
          {"grade", "exact"},
          {"iterations", 4},
          {"max_iters", 10},
          {"samples_s", std::move(samples_s)}};
}

TEST(Outcome, IsTheMedianWithLeastAndMostByIteration) {
  EXPECT_EQ(outcome(right({0.004, 0.9, 0.001, 0.0016, 0.005})), "1.000 ms an iteration (0.250 to 225.000), 4 iterations");
  EXPECT_EQ(outcome(right({0.004})), "1.000 ms an iteration, 4 iterations") << "one run has no range";
}

TEST(Outcome, NamesACoarseResult) {
  Json line = right({0.004});
  line["grade"] = "coarse";
  EXPECT_EQ(outcome(line), "1.000 ms an iteration, 4 iterations, coarse");
  EXPECT_EQ(colour_of(line), Colour::none);
}

TEST(Outcome, SaysWhyThereIsNoTime) {
  for (const auto& [field, shown] : {std::pair{"skip", "skipped: a reason"}, {"failure", "failed: a reason"}, {"verdict", "wrong: a reason"}}) {
    Json line = right({});
    line["verdict"] = nullptr;
    line[field] = "a reason";
    EXPECT_EQ(outcome(line), shown);
    EXPECT_EQ(colour_of(line), field == std::string("skip") ? Colour::yellow : Colour::red);
    EXPECT_EQ(far_off(line), "");
  }
}

TEST(FarOff, IsOverThreeTimesTheMedian) {
  EXPECT_EQ(far_off(right({0.001, 0.003, 0.001})), "") << "three times is not over three times";
  EXPECT_EQ(far_off(right({0.001, 0.0031, 0.001, 0.2, 0.001})),
            "2 of 5 runs took over 3 times the median, the longest 200.000 ms beside 1.000 ms: what else ran then?");
  EXPECT_EQ(far_off(right({0.2, 0.2, 0.001})), "") << "a run that was quick is not far off";
}

TEST(FarOff, IsSilentWhereADelayExplainsIt) {
  Json line = right({0.001, 0.2, 0.001});
  line["run_delay_s"] = {0, 0.19, 0};
  EXPECT_EQ(far_off(line), "");
  line["run_delay_s"] = {0, 0.001, 0};
  EXPECT_NE(far_off(line), "");
}

TEST(Disturbed, IsATimeWithOverHalfOfItsSamplesDisturbed) {
  Json line = right({0.1, 0.1, 0.1, 0.1});
  line["run_delay_s"] = {0.004, 0.006, 0.006, 0.0};
  EXPECT_FALSE(is_disturbed(line)) << "half";
  line["run_delay_s"][3] = 0.2;
  EXPECT_TRUE(is_disturbed(line));
  EXPECT_EQ(outcome(line), "25.000 ms an iteration (25.000 to 25.000), 4 iterations, disturbed");
  line["run_delay_s"] = nullptr;
  EXPECT_FALSE(is_disturbed(line)) << "nothing is known";
  line["involuntary_switches"] = {6, 6, 6, 0};
  EXPECT_TRUE(is_disturbed(line)) << "60 a second";
}

TEST(Fitted, LeavesOutTheMiddle) {
  EXPECT_EQ(fitted("cpu/lloyd/naive", 15), "cpu/lloyd/naive");
  EXPECT_EQ(fitted("cpu/lloyd/naive", 9), "cpu/…aive");
  EXPECT_EQ(fitted("cpu/lloyd/naive", 8), "cpu/…ive");
  EXPECT_EQ(fitted("größeres", 5), "gr…es") << "characters, not bytes";
  EXPECT_EQ(fitted("naive", 1), "…");
  EXPECT_EQ(fitted("naive", 0), "");
}

TEST(Beginning, LeavesOutTheEnd) {
  EXPECT_EQ(beginning("größeres", 8), "größeres");
  EXPECT_EQ(beginning("größeres", 4), "grö…");
  EXPECT_EQ(beginning("größeres", 1), "…");
  EXPECT_EQ(beginning("größeres", 0), "");
}

TEST(Coloured, IsTheTextAloneWithoutAColour) {
  EXPECT_EQ(coloured("wrong", Colour::red), "\033[31mwrong\033[0m");
  EXPECT_EQ(coloured("right", Colour::none), "right");
}

}  // namespace
}  // namespace km

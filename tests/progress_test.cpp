// The terminal's words for a case as it ends, and the table at the end of a run: its width, its times, the settings that tell its rows apart. Samples
// are skewed, so that no statistic can stand in for another.
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/base/text.hpp"
#include "bench/run/progress.hpp"
#include "bench/run/result.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/lines.hpp"

namespace km {
namespace {

Json right(std::vector<double> samples_s) {
  Json line = Json::parse(R"({"skip": null, "failure": null, "verdict": "", "grade": "exact", "iterations": 4, "max_iters": 10})");
  line["samples_s"] = std::move(samples_s);
  return line;
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
  line["involuntary_switches"] = {5, 5, 5, 0};
  EXPECT_TRUE(is_disturbed(line)) << "50 a second";
  line["involuntary_switches"] = {4, 4, 4, 0};
  EXPECT_FALSE(is_disturbed(line)) << "40 a second";
}

TEST(Duration, IsInTheUnitThatFits) {
  const std::vector<std::string> texts = {duration_text(89.4), duration_text(90), duration_text(5400), duration_text(500 * 3600)};
  EXPECT_EQ(texts, (std::vector<std::string>{"89 s", "2 min", "1.5 h", "500.0 h"}));
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

TEST(SummaryTable, FitsTheTerminal) {
  Json line = line_of("x", "a sentence that is far too long for any terminal, with distances² in it, and says so at length");
  line["implementation"] = "cpu/lloyd/some_implementation_with_a_long_name";
  line["parameters"] = {{"packages", 1000}, {"threads", 64}};
  line["n"] = 123456789012;
  const auto widest = [&](int columns) {
    std::size_t most = 0;
    std::istringstream in(summary_table({line}, columns));
    for (std::string text; std::getline(in, text);) most = std::max(most, characters(text));
    return most;
  };
  EXPECT_LE(widest(120), 120u);
  EXPECT_LE(widest(100), 100u);
  EXPECT_GT(widest(0), 150u) << "a file has every word";
  for (const int columns : {100, 60, 1}) expect_shows(summary_table({line}, columns), {"123456789012"});  // numbers are never cut
  expect_shows(summary_table({line}, 0), {"says so at length"});
  expect_shows(summary_table({line}, 100), {"…"});
}

TEST(SummaryTable, ShowsMedianPerIterationAndEveryReason) {
  const Json good = line_with(measured({0.9, 0.1, 0.2}));
  const std::string table = summary_table({good, line_of("x", "a sentence"), line_of("y", nullptr, "it died")});
  expect_shows(table, {"50.000", "25.000", "wrong: a sentence", "failed: it died"});  // 0.2 s / 4 iterations, the least beside it
  expect_shows(table, {"ms/iter  min ms"});
  expect_lacks(table, {"20.000"});  // by max_iters
}

TEST(SummaryTable, MarksWhatIsDisturbed) {
  Json line = line_with(measured({0.9, 0.1, 0.2}));
  expect_lacks(summary_table({line}), {"‡"});
  line["run_delay_s"] = {0.1, 0.1, 0.0};
  expect_shows(summary_table({line}), {"50.000‡"});
}

TEST(SummaryTable, ShowsTheSettingsTheStartAndTheStopThatTellCasesApart) {
  const auto shown = [](auto set) {
    std::vector<Json> lines = {line_of("x", "wrong"), line_of("y", "wrong")};
    for (const int at : {0, 1}) set(lines[std::size_t(at)], at);
    return summary_table(lines);
  };
  const std::string settings = shown([](Json& line, int at) { line["dataset"]["generator"] = {{"sigma2", at == 0 ? 0.1 : 0.5}, {"seed", 7}}; });
  expect_shows(settings, {"blobs sigma2=0.1", "blobs sigma2=0.5"});
  expect_lacks(settings, {"seed"});  // the same in both
  const std::string start_and_stop = shown([](Json& line, int at) {
    line["init"] = {{"method", "random"}, {"seed", at + 1}};
    line["tolerance"] = at == 0 ? Json() : Json(0.5);
  });
  expect_shows(start_and_stop, {"blobs init_seed=1 tolerance=none", "blobs init_seed=2 tolerance=0.5"});
  expect_lacks(start_and_stop, {"init=random"});  // the same in both
}

TEST(SummaryTable, ShowsASettingThatOnlyOneOfTheUnmeasuredWasGiven) {
  Json right = line_of("x", "wrong"), bare = line_of("y", nullptr, "it died"), given = line_of("z", nullptr, "it died");
  right["dataset"]["generator"] = {{"sigma2", 1}, {"seed", 7}};
  bare["dataset"]["generator"] = nullptr;
  given["dataset"]["generator"] = {{"sigma2", 1}};
  expect_lacks(summary_table({right, bare}), {"sigma2"});
  expect_shows(summary_table({bare, given}), {"blobs sigma2=1"});
}

TEST(SummaryTable, OfSeveralExhibitsHasARowAnExhibit) {
  std::vector<Json> lines;
  for (const char* exhibit : {"a/one", "a/two", "a/two"}) {
    lines.push_back(lines.size() < 2 ? line_of("x", "") : line_of("x", nullptr, "it died"));
    lines.back()["exhibit"] = exhibit;
  }
  EXPECT_EQ(summary_table(lines, 80),
            "exhibit  cases  right  coarse  wrong  failed  skipped  disturbed\n"
            "a/one        1      1       0      0       0        0          0\n"
            "a/two        2      1       0      0       1        0          0\n");
}

}  // namespace
}  // namespace km

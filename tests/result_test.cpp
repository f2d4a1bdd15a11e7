// The content of result lines, and files of them that survive a kill.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "bench/base/home.hpp"
#include "bench/base/statistics.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/lines.hpp"

namespace km {
namespace {

class ResultFiles : public Files {
 protected:
  fs::path path() const { return folder_ / "deeper" / "adhoc.jsonl"; }
  std::string content() const {
    std::ifstream in(path());
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST(ResultLine, BeginsWithEveryFieldOfTheSchema) {
  std::ifstream in(home() / "schema/line.json");
  const Json schema = Json::parse(in);
  std::set<std::string> documented;
  for (const auto& [field, node] : schema["properties"].items()) documented.insert(field);
  std::set<std::string> written;
  const Json line = skeleton(some_case(), {"kmbench", "run"}, "here");
  for (const auto& [field, value] : line.items()) written.insert(field);
  EXPECT_EQ(written, documented);
  EXPECT_EQ(line["argv"], Json({"kmbench", "run"}));
  EXPECT_EQ(line["machine"], "here");
  EXPECT_TRUE(line["verdict"].is_null());
  EXPECT_TRUE(line["samples_s"].empty());
  EXPECT_GT(line["work"]["bytes"], 0);
}

TEST(ResultLine, HoldsWhatWasMeasured) {
  auto m = measured({0.5, 0.25});
  m.line.centroid_error = std::numeric_limits<double>::quiet_NaN();
  const Json line = line_with(m);
  EXPECT_EQ(line["samples_s"], Json({0.5, 0.25}));
  EXPECT_EQ(line["download_s"], 2.0) << "the median";
  EXPECT_EQ(line["iterations"], 4);
  EXPECT_EQ(line["max_iters"], 10);
  EXPECT_EQ(line["cluster_sizes"], Json({50, 30, 20}));
  EXPECT_TRUE(line["centroid_error"].is_null()) << "never NaN";
  EXPECT_TRUE(line["samples_event_s"].is_null()) << "the CPU has no events";
}

TEST(ResultLine, HoldsWhatWasAskedForOrWhyItIsSkipped) {
  Case c = some_case({{"iterations", {whole(100)}}, {"tolerance", {0.5}}});
  c.skip = "no such card";
  const Json line = skeleton(c, {}, "here");
  EXPECT_EQ(line["max_iters"], 100);
  EXPECT_EQ(line["tolerance"], 0.5);
  EXPECT_EQ(line["skip"], "no such card");
}

TEST(ResultLine, AWrongAnswerHasNoTime) {
  auto m = measured({0.5});
  m.trace.begin_iteration();
  m.trace.add("assign", 1);
  m.judgement.verdict = "point 0 has label 7";
  const Json line = line_with(m);
  EXPECT_EQ(line["verdict"], "point 0 has label 7");
  EXPECT_TRUE(line["samples_s"].empty());
  EXPECT_TRUE(line["phases"].empty());
  for (const char* field : {"prepare_s", "download_s", "inertia"}) EXPECT_TRUE(line[field].is_null()) << field;
}

TEST(ResultLine, HoldsTheDelayOfEverySample) {
  auto m = measured({0.5, 0.25});
  m.delays = {{.run_delay_s = 0.125}, {.run_delay_s = 0}};
  Json line = line_with(m);
  EXPECT_EQ(line["run_delay_s"], Json({0.125, 0.0}));
  EXPECT_TRUE(line["involuntary_switches"].is_null());
  m.delays = {{.run_delay_s = {}, .involuntary_switches = 3}, {.run_delay_s = {}, .involuntary_switches = 0}};
  line = line_with(m);
  EXPECT_TRUE(line["run_delay_s"].is_null());
  EXPECT_EQ(line["involuntary_switches"], Json({3, 0}));
}

TEST(ResultLine, WhatReadersWouldRefuseIsAFailureThatNamesTheField) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  const auto failure = [&](auto change) {
    Json line = line_with(measured({0.5, 0.25}));
    change(line);
    line = readable(line);
    if (line["failure"].is_string()) {
      EXPECT_TRUE(line["samples_s"].empty() && line["phases"].empty() && line["verdict"].is_null()) << line;
      EXPECT_EQ(unreadable(line), "");
    }
    return line["failure"].is_string() ? line["failure"].get<std::string>() : "";
  };
  EXPECT_EQ(failure([](Json&) {}), "");
  expect_has(failure([&](Json& line) { line["phases"]["assign"] = {0.1, 0.2, nan}; }), {"phase assign of iteration 3 is nan"});
  expect_has(failure([&](Json& line) { line["samples_s"][1] = -0.5; }), {"samples_s of run 2 is -0.5"});
  expect_has(failure([&](Json& line) { line["samples_s"][0] = nullptr; }), {"samples_s of run 1 is no finite number"});
  expect_has(failure([&](Json& line) { line["samples_event_s"] = {0.1, infinite}; }), {"samples_event_s of run 2 is inf"});
  expect_has(failure([&](Json& line) { line["counters"]["shift"] = {-1.0}; }), {"counter shift of iteration 1 is -1"});
  expect_has(failure([&](Json& line) { line["prepare_phases"]["transfer"] = nan; }), {"phase transfer of prepare is nan"});
  expect_has(failure([&](Json& line) { line["energy"] = {{"joules", -3.0}}; }), {"energy: joules is -3"});
}

TEST_F(ResultFiles, AppendsOneLineACase) {
  const ResultFile file(path());
  file.append(line_of("a", ""));
  ResultFile(path()).append(line_of("b", "wrong"));
  EXPECT_EQ(std::ranges::count(content(), '\n'), 2);
  ASSERT_EQ(file.lines({"b", "a", "none"}).size(), 2u);
  EXPECT_EQ(file.lines({"b", "a"})[0]["case"], "b");
}

TEST_F(ResultFiles, TheLaterLineCounts) {
  const ResultFile file(path());
  file.append(line_of("a", ""));
  file.append(line_of("a", nullptr, "it died after all"));
  EXPECT_EQ(file.lines({"a"}).at(0)["failure"], "it died after all");
}

TEST_F(ResultFiles, AReasonThatIsNoTextIsStillALine) {
  const ResultFile file(path());
  file.append(line_of("c", nullptr, "what() returned \xff\xfe"));
  EXPECT_EQ(file.lines({"c"}).size(), 1u) << "a reason that is no text is still a line";
}

TEST_F(ResultFiles, WhatCannotBeWrittenIsSaid) {
  expect_has(complaint_of([&] { ResultFile(write("file", "") + "/adhoc.jsonl"); }), {"cannot write", "adhoc.jsonl"});
}

TEST_F(ResultFiles, WhatHoldsSomethingElseStaysAsItIs) {
  fs::create_directories(path().parent_path());
  for (const std::string other : {"\x93NUMPY\n\x01\x02", "1,2\n3,4", "{}\n3,4", "{}\n\n "}) {
    std::ofstream(path()) << other;
    EXPECT_THROW(ResultFile{path()}, UserError) << other;
    EXPECT_EQ(content(), other);
  }
}

TEST_F(ResultFiles, TheTornLastLineIsDroppedAndNothingElse) {
  fs::create_directories(path().parent_path());
  for (const std::string whole : {"", "{}\n"}) {
    std::ofstream(path()) << whole << R"({"a": 1, "torn)";
    const ResultFile file(path());
    EXPECT_EQ(content(), whole) << "a line that was not finished";
  }
}

TEST(GoogleBenchmarkExport, NamesAllThatTellsTwoCasesApart) {
  Json line = line_of("x", "");
  const auto name = [&] { return to_google_benchmark({line})["benchmarks"][0]["name"].get<std::string>(); };
  std::set<std::string> names = {name()};
  const std::vector<std::pair<std::string, Json>> changes = {{"/tolerance", 0.01},
                                                             {"/max_iters", 1000},
                                                             {"/init/seed", 2},
                                                             {"/init/method", "kmeans++"},
                                                             {"/dataset/generator", Json::object({{"sigma2", 0.5}})}};
  for (const auto& [place, value] : changes) {
    line[Json::json_pointer(place)] = value;
    EXPECT_TRUE(names.insert(name()).second) << name();
  }
  EXPECT_EQ(name(), "cpu/lloyd/naive/blobs/n:100/d:2/k:3/fp32/sigma2:0.5/tol:0.01/iters:1000/kmeans++2");
}

/// A right line with these samples, of a clean build, that goes on after so many.
Json right_line(std::vector<double> samples, const Json& continues = nullptr) {
  Json line = line_of("a", "");
  line["dirty"] = false;
  line["grade"] = "exact";
  line["iterations"] = 10;
  line["samples_s"] = std::move(samples);
  line["continues"] = continues;
  return line;
}

Json samples_of(const Json& first, const Json& second) { return latest({first, second}).at("a")["samples_s"]; }

TEST(Continued, TheSamplesOfBothCount) {
  EXPECT_EQ(samples_of(right_line({3, 1}), right_line({2}, 2)), Json({3, 1, 2}));
  const auto all = latest({right_line({3, 1}), right_line({2}, 2), right_line({5, 4}, 3)});
  EXPECT_EQ(all.at("a")["samples_s"], Json({3, 1, 2, 5, 4}));
  EXPECT_TRUE(all.at("a")["samples_event_s"].is_null());
  Json first = right_line({3, 1}), then = right_line({2}, 2);
  first["samples_event_s"] = {2.5, 0.5};
  then["samples_event_s"] = {1.5};
  first["run_delay_s"] = {0.5, 0.0};
  then["run_delay_s"] = {0.25};
  then["involuntary_switches"] = {7};
  const Json both = latest({first, then}).at("a");
  EXPECT_EQ(both["samples_event_s"], Json({2.5, 0.5, 1.5}));
  EXPECT_EQ(both["run_delay_s"], Json({0.5, 0.0, 0.25}));
  EXPECT_EQ(both["involuntary_switches"], Json({0, 0, 7})) << "an unknown delay counts as none";
  then["samples_event_s"] = nullptr;
  EXPECT_TRUE(latest({first, then}).at("a")["samples_event_s"].is_null()) << "of some samples is of none";
}

TEST(Continued, ElseTheLaterLineCountsByItself) {
  EXPECT_EQ(samples_of(right_line({3, 1}), right_line({2})), Json({2})) << "--redo";
  EXPECT_EQ(samples_of(right_line({3, 1}), right_line({2}, 1)), Json({2})) << "a line between is lost";
  for (const char* field : {"machine", "commit", "device", "exhibit_hash", "grade", "iterations"}) {
    Json then = right_line({2}, 2);
    then[field] = "another";
    EXPECT_EQ(samples_of(right_line({3, 1}), then), Json({2})) << field;
  }
  Json other = right_line({2}, 2);
  other["dataset"]["hash"] = "other points";
  EXPECT_EQ(samples_of(right_line({3, 1}), other), Json({2}));
  Json dirty = right_line({3, 1}), then = right_line({2}, 2);
  dirty["dirty"] = then["dirty"] = true;
  EXPECT_EQ(samples_of(dirty, then), Json({2})) << "what was changed meanwhile?";
  Json wrong = right_line({}, 2);
  wrong["verdict"] = "label 3";
  EXPECT_EQ(samples_of(right_line({3, 1}), wrong), Json::array());
}

TEST_F(ResultFiles, ATimeNeedsAnIteration) {
  for (const int iterations : {0, 1}) {
    Json line = right_line({3, 1});
    line["iterations"] = iterations;
    EXPECT_EQ(read_lines(write("lines", line.dump())).at(0)["samples_s"].size(), iterations == 0 ? 0u : 2u);
  }
}

TEST(Median, OfOddAndEvenNumbers) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

}  // namespace
}  // namespace km

// From lists and files to a plan: ranges, what is refused, the order.
#include "bench/plan/sweep.hpp"
#include "bench/plan/exhibit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/base/home.hpp"
#include "bench/data/toml_file.hpp"
#include "bench/device/device.hpp"
#include "tests/dataset_helpers.hpp"

namespace km {
namespace {

using Scalars = std::vector<Scalar>;
using Axes = std::map<std::string, Scalars, std::less<>>;

Scalar whole(std::int64_t value) { return value; }
Scalar word(const char* text) { return std::string(text); }

/// A sweep that is right, with some axes replaced.
Sweep sweep_with(const Axes& replaced = {}) {
  Sweep sweep{.axes = {{"implementation", {word("cpu/lloyd/two_step")}}, {"dataset", {word("blobs")}}, {"n", {whole(1000)}}, {"k", {whole(4)}}},
              .where = "",
              .patterns = false};
  for (const auto& [name, values] : replaced) sweep.axes[name] = values;
  return sweep;
}

std::vector<Case> expanded(const Axes& replaced = {}) { return expand(sweep_with(replaced), "he2021/table3", "paper"); }
std::string refusal(const Axes& replaced) {
  return complaint_of([&] { expanded(replaced); });
}

TEST(Range, FactorsStepsAndNumbers) {
  EXPECT_EQ(parse_range("1e4:1e6:x10"), (Scalars{whole(10'000), whole(100'000), whole(1'000'000)}));
  EXPECT_EQ(parse_range("64:256:+64"), (Scalars{whole(64), whole(128), whole(192), whole(256)}));
  EXPECT_EQ(parse_range("5:20:x3"), (Scalars{whole(5), whole(15)})) << "the end need not be met";
  EXPECT_EQ(parse_range("-2:0:+1"), (Scalars{whole(-2), whole(-1), whole(0)}));
  EXPECT_EQ(parse_range("-2:-1:+1"), (Scalars{whole(-2), whole(-1)}));
  EXPECT_EQ(parse_range("7:7:x2"), (Scalars{whole(7)}));
  EXPECT_EQ(parse_range("1e3"), (Scalars{whole(1000)}));
  EXPECT_EQ(parse_range("kmeans++"), (Scalars{word("kmeans++")}));
  EXPECT_EQ(parse_range("0:0.3:+0.1").size(), 4u) << "3 * 0.1 is above 0.3, by rounding";
  EXPECT_EQ(parse_range("0:0.29:+0.1").size(), 3u);
  const auto tenths = parse_range("0:1:+0.1");
  ASSERT_EQ(tenths.size(), 11u);
  EXPECT_DOUBLE_EQ(std::get<double>(tenths[3]), 0.3);
}

TEST(Range, RefusesWhatIsNone) {
  for (const char* text :
       {"1:2", "1:2:3", "1:2:*3", "10:1:x10", "1:10:x1", "1:10:x0.5", "1:10:+0", "1:10:+-1", "0:10:x2", "a:b:x2", "1:10:x2:x3", ":", "1:1e9:+1"})
    expect_has(complaint_of([&] { parse_range(text); }), {text});
}

TEST(Range, OfOddNumbers) {
  EXPECT_EQ(parse_range("1e300:1e300:x2"), (Scalars{Scalar(1e300)})) << "no whole number of 64 bits";
  for (const char* text :
       {"1:1e18:+1", "0:0:x2", "1e18:2e18:+1", "1:2:x1.0000000001", "nan:1:+1", "1:inf:+1", "1::+1", "::", "1:2:x", "1:2:+", ":2:+1"})
    expect_has(complaint_of([&] { parse_range(text); }), {text});
  expect_has(complaint_of([&] { parse_range(std::string(1 << 20, ':')); }), {"is not a range"});
}

TEST(Scalars, NumbersAndWords) {
  EXPECT_EQ(parse_scalar("12"), whole(12));
  EXPECT_EQ(parse_scalar("-3"), whole(-3));
  EXPECT_EQ(parse_scalar("1e6"), whole(1'000'000));
  EXPECT_EQ(parse_scalar("0.5"), Scalar(0.5));
  EXPECT_EQ(parse_scalar("fp32"), word("fp32"));
  for (const char* text : {"nan", "inf", "1e400", "12x", ""}) EXPECT_EQ(parse_scalar(text), word(text));
}

TEST(Expand, IsTheProductOfTheLists) {
  const auto cases = expanded({{"n", {whole(1000), whole(2000)}},
                               {"k", {whole(2), whole(3), whole(4)}},
                               {"precision", {word("fp32"), word("fp64")}},
                               {"set.packages", {whole(1), whole(10)}}});
  EXPECT_EQ(cases.size(), 2u * 3 * 2 * 2);
  std::set<std::string> ids, names;
  for (const auto& c : cases) {
    ids.insert(c.id());
    names.insert(c.name());
    EXPECT_EQ(c.skip, "");
    EXPECT_EQ(c.exhibit, "he2021/table3");
    EXPECT_EQ(c.d, 2) << "the data set's own";
  }
  EXPECT_EQ(ids.size(), cases.size());
  EXPECT_EQ(names.size(), cases.size());
}

TEST(Expand, Defaults) {
  const auto c = expanded().at(0);
  EXPECT_EQ(c.max_iters, 10);
  EXPECT_LT(c.tolerance, 0);
  EXPECT_EQ(c.precision, Precision::fp32);
  EXPECT_EQ(c.init, "random");
  EXPECT_EQ(c.config.number("packages"), 100);
  const auto tested = expanded({{"tolerance", {Scalar(0.0)}}}).at(0);
  EXPECT_EQ(tested.max_iters, 1000) << "a tolerance is what should stop it";
  EXPECT_EQ(tested.tolerance, 0);
}

TEST(Case, ForecastsItsMemory) {
  auto c = expanded().at(0);
  c.n = 1000, c.d = 4;
  EXPECT_EQ(c.memory_bytes(), 16'000 + 3 * 4'000) << "points, and labels of the run, the judge and the one before";
  c.precision = Precision::fp64;
  EXPECT_EQ(c.memory_bytes(), 32'000 + 3 * 4'000);
  c.implementation = nullptr;
  EXPECT_EQ(c.memory_bytes(), 3 * 32'000 + 3 * 4'000) << "what may be the GPU's holds points there too, in two layouts";
}

TEST(Expand, RefusesInOneLine) {
  expect_has(refusal({{"packages", {whole(1)}}}), {"unknown sweep key 'packages'", "set.<parameter>"});
  expect_has(refusal({{"implementation", {word("cpu/lloyd/none")}}}), {"unknown implementation 'cpu/lloyd/none'"});
  expect_has(refusal({{"set.nothing", {whole(1)}}}), {"no chosen implementation has a parameter 'nothing'"});
  expect_has(refusal({{"set.packages", {whole(0)}}}), {"packages = 0", "1 to "});
  expect_has(refusal({{"set.packages", {word("many")}}}), {"packages = many"});
  expect_has(refusal({{"set.packages", {Scalar(1.5)}}}), {"packages = 1.5"});
  expect_has(refusal({{"k", {whole(1001)}}}), {"k = 1001", "n = 1000", "blobs"});
  expect_has(refusal({{"k", {whole(0)}}}), {"k must lie between"});
  expect_has(refusal({{"n", {whole(0)}}}), {"n must lie between"});
  expect_has(refusal({{"d", {whole(0)}}}), {"d must lie between"});
  expect_has(refusal({{"n", {word("many")}}}), {"n must be a number"});
  expect_has(refusal({{"k", {Scalar(2.5)}}}), {"k must be a whole number"});
  expect_has(refusal({{"precision", {word("fp16")}}}), {"'fp16'", "fp32, fp64"});
  expect_has(refusal({{"tolerance", {Scalar(1.5)}}}), {"tolerance must lie between 0 and 1"});
  expect_has(refusal({{"iterations", {whole(0)}}}), {"iterations must lie between"});
  expect_has(refusal({{"dataset", {word("no_such_set")}}}), {"no_such_set"});
  expect_has(refusal({{"data.nothing", {whole(1)}}}), {"no setting 'nothing'"});
  expect_has(refusal({{"init", {word("best")}}}), {"init 'best'", "random, kmeans++"});
  expect_has(complaint_of([] {
               expand({.axes = {{"implementation", {word("cpu/lloyd/naive")}}, {"k", {whole(1)}}}}, "", "paper");
             }),
             {"a sweep needs 'dataset'"});
  auto placed = sweep_with({{"precision", {word("half")}}});
  placed.where = "table9.toml, line 4";
  expect_has(complaint_of([&] { expand(placed, "", "paper"); }), {"table9.toml, line 4: precision 'half'"});
}

TEST(Expand, PatternsChooseAndParametersOnlyWhereTheyAre) {
  auto sweep = sweep_with({{"implementation", {word("cpu/lloyd/(naive|two_step)$")}}, {"set.packages", {whole(7)}}});
  sweep.patterns = true;
  const auto cases = expand(sweep, "", "paper");
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_FALSE(cases[0].config.values().contains("packages"));
  EXPECT_EQ(cases[1].config.number("packages"), 7);
  sweep.axes["implementation"] = {word("(")};
  expect_has(complaint_of([&] { expand(sweep, "", "paper"); }), {"not a regular expression"});
}

TEST(Expand, AnExactNameIsThatOneAlone) {
  auto sweep = sweep_with({{"implementation", {word("cpu/lloyd/naive")}}});
  sweep.patterns = true;
  EXPECT_EQ(expand(sweep, "", "paper").size(), 1u);
  sweep.axes["implementation"] = {word("cpu/lloyd/naive.*")};
  EXPECT_GT(expand(sweep, "", "paper").size(), 1u);
  sweep.axes["implementation"] = {word(std::string(1001, 'a').c_str())};
  expect_has(complaint_of([&] { expand(sweep, "", "paper"); }), {"--implementation", "1001 bytes"});
  sweep.axes["implementation"] = {word("(?!gpu)")};
  expect_has(complaint_of([&] { expand(sweep, "", "paper"); }), {"not a regular expression"});
  sweep.axes["implementation"] = {word("((a{1,500}){1,500}){1,500}")};
  expect_has(complaint_of([&] { expand(sweep, "", "paper"); }), {"not a regular expression"});
}

TEST(Expand, IsCountedBeforeItIsMade) {
  const auto numbers = [](int count) {
    Scalars values;
    for (int i = 1; i <= count; ++i) values.push_back(whole(i));
    return values;
  };
  const auto large = sweep_with({{"k", numbers(1000)}, {"n", numbers(1000)}, {"init_seed", numbers(1000)}});
  EXPECT_EQ(case_count(large), 1e9);
  expect_has(complaint_of([&] { expand(large, "", "paper"); }), {"1000000000 cases", "up to 100000"});
  expect_has(refusal({{"d", {whole(1'000'000)}}}), {"d must lie between 1 and 100000"});
  expect_has(refusal({{"d", {whole(4'294'967'298)}}}), {"d must lie between"});
}

TEST(Expand, WhatCannotRunHereIsSkippedWithItsReason) {
  EXPECT_EQ(expanded({{"implementation", {word("faults/says_no")}}}).at(0).skip, "nothing is supported");
  if (!device::available()) {
    EXPECT_NE(expanded({{"implementation", {word("gpu/lloyd/naive")}}}).at(0).skip, "");
  }
}

TEST(CaseId, IsOfTheProblemAndNotOfHowOftenItIsMeasured) {
  const auto id = [](const Axes& replaced) { return expanded(replaced).at(0).id(); };
  const std::string plain = id({});
  EXPECT_EQ(plain, id({}));
  EXPECT_EQ(plain, id({{"repetitions", {whole(9)}}, {"warmup", {whole(3)}}}));
  EXPECT_EQ(plain, id({{"set.packages", {whole(100)}}})) << "the default, said aloud";
  const std::vector<Axes> others = {{{"n", {whole(1001)}}},
                                    {{"k", {whole(5)}}},
                                    {{"d", {whole(3)}}},
                                    {{"precision", {word("fp64")}}},
                                    {{"set.packages", {whole(10)}}},
                                    {{"init", {word("kmeans++")}}},
                                    {{"init_seed", {whole(2)}}},
                                    {{"iterations", {whole(11)}}},
                                    {{"tolerance", {Scalar(0.0)}}},
                                    {{"tolerance", {Scalar(0.5)}}},
                                    {{"data.sigma2", {Scalar(0.5)}}},
                                    {{"dataset", {word("uniform")}}},
                                    {{"implementation", {word("cpu/lloyd/naive")}}}};
  std::set<std::string> ids = {plain, expand(sweep_with(), "he2021/table4", "paper").at(0).id(),
                               expand(sweep_with(), "he2021/table3", "quick").at(0).id()};
  for (const auto& other : others) ids.insert(id(other));
  EXPECT_EQ(ids.size(), others.size() + 3);
}

TEST(PackedCase, IsTheSameCaseInAnotherProcess) {
  Case c = expanded({{"set.packages", {whole(10)}},
                     {"data.sigma2", {Scalar(0.1)}},
                     {"precision", {word("fp64")}},
                     {"tolerance", {Scalar(1.0 / 3)}},
                     {"repetitions", {whole(3)}},
                     {"warmup", {whole(0)}}})
               .at(0);
  c.exhibit_hash = "0123456789abcdef";
  c.tuned = "nearest";
  c.continues = 2;
  c.order = 7;
  c.judge_seed = 4711;
  const Case same = unpacked(Json::parse(packed(c).dump()));
  EXPECT_EQ(packed(same), packed(c));
  EXPECT_EQ(same.id(), c.id());
  EXPECT_EQ(same.name(), c.name());
  EXPECT_EQ(same.implementation, c.implementation);
  EXPECT_EQ(same.config.values(), c.config.values());
  EXPECT_TRUE(same.dataset == c.dataset);
  EXPECT_EQ(same.tolerance, 1.0 / 3);
  EXPECT_EQ(same.precision, Precision::fp64);
  EXPECT_EQ(same.continues, 2);
}

TEST(CaseName, TellsApartWhatTheIdTellsApart) {
  const auto cases = expanded({{"tolerance", {Scalar(0.0)}}, {"iterations", {whole(20), whole(30)}}});
  EXPECT_NE(cases.at(0).id(), cases.at(1).id());
  EXPECT_NE(cases.at(0).name(), cases.at(1).name());
}

// ---- order -------------------------------------------------------------------------------------------------------------

std::vector<Case> many() {
  return expanded(
      {{"dataset", {word("blobs"), word("uniform")}}, {"k", {whole(2), whole(3), whole(4)}}, {"set.packages", {whole(1), whole(10), whole(100)}}});
}

std::vector<std::string> ids_of(const std::vector<Case>& cases) {
  std::vector<std::string> ids;
  for (const auto& c : cases) ids.push_back(c.id());
  return ids;
}

TEST(Shuffle, IsASeededPermutation) {
  const auto one = ids_of(shuffled(many(), 1));
  EXPECT_EQ(one, ids_of(shuffled(many(), 1)));
  EXPECT_NE(one, ids_of(shuffled(many(), 2)));
  EXPECT_NE(one, ids_of(many()));
  const auto sorted = [](auto list) { return std::multiset<std::string>(list.begin(), list.end()); };
  EXPECT_EQ(sorted(one), sorted(ids_of(many())));
  auto backwards = many();
  std::ranges::reverse(backwards);
  EXPECT_EQ(one, ids_of(shuffled(backwards, 1))) << "the order of the flags must not matter";
}

TEST(Shuffle, NumbersTheCasesAndDropsRepeatedOnes) {
  auto twice = many();
  for (auto& c : many()) twice.push_back(std::move(c));
  const auto cases = shuffled(twice, 1);
  ASSERT_EQ(cases.size(), many().size());
  for (std::size_t at = 0; at < cases.size(); ++at) EXPECT_EQ(cases[at].order, std::int64_t(at));
}

TEST(Shuffle, CasesOfOneDataSetFollowEachOther) {
  const auto cases = shuffled(expanded({{"dataset", {word("he2021_balls"), word("uniform")}},
                                        {"d", {whole(4)}},
                                        {"k", {whole(2), whole(3), whole(4)}},
                                        {"precision", {word("fp32"), word("fp64")}},
                                        {"set.packages", {whole(1), whole(10), whole(100)}}}),
                              1);
  int changes = 0;
  for (std::size_t at = 1; at < cases.size(); ++at)
    changes += cases[at].dataset.name != cases[at - 1].dataset.name || cases[at].precision != cases[at - 1].precision;
  EXPECT_EQ(changes, 3) << "two data sets in two precisions are made once each, whatever k";
}

// ---- exhibit files -----------------------------------------------------------------------------------------------------

class ExhibitFiles : public Files {
 protected:
  fs::path exhibit(const std::string& text) const {
    fs::create_directories(folder_ / "demo2000");
    return write("demo2000/table1.toml", text);
  }
  std::string refusal_of(const std::string& text) const {
    return complaint_of([&] {
      const auto read = read_exhibit(exhibit(text), "paper");
      for (const auto& sweep : read.sweeps) expand(sweep, read.key, "paper");
    });
  }
};

constexpr const char* good = R"(kind = "table"
number = "Table 1"
title = "made up"
[[sweep]]
implementation = "cpu/lloyd/two_step"
dataset = "blobs"
n = "1e4:1e6:x10"
k = [4, 8]
set.packages = [1, 10]
repetitions = 5
[[sweep]]
implementation = "cpu/lloyd/naive"
dataset = "uniform"
n = 1_000_000
k = 4
data.low = -1
[profile.quick]
n = 1000
repetitions = 2
set.packages = 3
)";

TEST_F(ExhibitFiles, AreReadAsTheyAre) {
  const Exhibit read = read_exhibit(exhibit(good), "paper");
  EXPECT_EQ(read.key, "demo2000/table1");
  EXPECT_EQ(read.kind, "table");
  EXPECT_EQ(read.number, "Table 1");
  ASSERT_EQ(read.sweeps.size(), 2u);
  EXPECT_EQ(read.sweeps[0].axes.at("n"), (Scalars{whole(10'000), whole(100'000), whole(1'000'000)}));
  EXPECT_EQ(read.sweeps[0].axes.at("set.packages"), (Scalars{whole(1), whole(10)}));
  EXPECT_EQ(read.sweeps[1].axes.at("data.low"), (Scalars{whole(-1)}));
}

TEST_F(ExhibitFiles, TheQuickProfileReplaces) {
  const Exhibit read = read_exhibit(exhibit(good), "quick");
  ASSERT_EQ(read.sweeps.size(), 2u);
  for (const auto& sweep : read.sweeps) {
    EXPECT_EQ(sweep.axes.at("n"), (Scalars{whole(1000)}));
    EXPECT_EQ(sweep.axes.at("repetitions"), (Scalars{whole(2)}));
  }
  EXPECT_EQ(read.sweeps[0].axes.at("set.packages"), (Scalars{whole(3)}));
  EXPECT_EQ(read.sweeps[0].axes.at("k"), (Scalars{whole(4), whole(8)})) << "not named, so kept";
  EXPECT_FALSE(read.sweeps[1].axes.contains("set.packages")) << "a parameter only where the sweep has it";
}

TEST_F(ExhibitFiles, ShortFormsStandForLongOnes) {  // tests/python/test_expand.py reads the same examples
  const auto axes_of = [&](std::string_view text, const char* profile) {
    std::vector<decltype(Sweep::axes)> axes;
    for (const auto& sweep : read_exhibit(exhibit(fmt::format("kind = \"table\"\nreuse = \"a/b\"\n{}", text)), profile).sweeps)
      axes.push_back(sweep.axes);
    return axes;
  };
  const toml::table examples = read_toml(home() / "tests/expansion.toml");
  EXPECT_GE(examples.size(), 5u);
  for (const auto& [name, example] : examples)
    for (const char* profile : {"paper", "quick"})
      EXPECT_EQ(axes_of(*example.as_table()->get("short")->value<std::string>(), profile),
                axes_of(*example.as_table()->get("long")->value<std::string>(), profile))
          << name.str() << ", " << profile;
}

TEST_F(ExhibitFiles, ListsThatGoTogetherAreOfOneLength) {
  const auto zip = [&](const std::string& keys) {
    return refusal_of("kind = \"table\"\nsweep = [\n{ implementation = \"cpu/lloyd/naive\", dataset = \"blobs\", k = 4, " + keys + " }]\n");
  };
  expect_has(zip("n = [1, 2], d = [2, 3, 4], zip = [\"n\", \"d\"]"), {"table1.toml, line 3", "of one length; n has 2, d has 3"});
  expect_has(zip("n = [1, 2], zip = [\"n\", \"d\"]"), {"table1.toml, line 3", "zip names 'd', which is no list of the sweep"});
  expect_has(zip("n = [1, 2], zip = \"n\""), {"table1.toml, line 3", "'zip' must be a list"});
  expect_has(refusal_of("kind = \"table\"\nprofile.quick.zip = [\"n\"]\n"), {"nothing to measure"});
  expect_has(refusal_of("kind = \"table\"\ndefaults.table = {}\n"), {"table1.toml, line 2", "defaults of 'table'", "[defaults.sweep]"});
}

TEST_F(ExhibitFiles, RefusalsNameFileAndLine) {
  expect_has(refusal_of("kind = \"table\"\nkind = "), {"table1.toml, line 2"});
  expect_has(refusal_of("kind = \"table\"\n[tabel]\n"), {"table1.toml, line 2", "unknown section 'tabel'", "accepted: claim, defaults"});
  expect_has(refusal_of("kind = \"drawing\"\n"), {"table1.toml", "'drawing'", "table, figure or machine"});
  expect_has(refusal_of("kind = \"table\"\n[sweep]\nk = 1\n"), {"table1.toml, line 2", "[[sweep]]"});
  const std::string head = "kind = \"table\"\n[[sweep]]\nimplementation = \"cpu/lloyd/two_step\"\ndataset = \"blobs\"\n";
  expect_has(refusal_of(head + "k = []\n"), {"table1.toml, line 5", "empty list"});
  expect_has(refusal_of(head + "k = true\n"), {"table1.toml, line 5", "'k' must be"});
  expect_has(refusal_of(head + "k = \"1:9\"\n"), {"table1.toml, line 5", "'1:9' is not a range"});
  expect_has(refusal_of(head + "k = 1\nset = 3\n"), {"table1.toml, line 6", "set.packages"});
  expect_has(refusal_of(head + "k = 1\npackages = 3\n"), {"table1.toml, line 2", "unknown sweep key 'packages'"});
  expect_has(complaint_of([&] { read_exhibit(folder_ / "none.toml", "paper"); }), {"no exhibit file", "none.toml"});
  expect_has(complaint_of([&] { read_exhibit(folder_, "paper"); }), {"no exhibit file"});
}

TEST_F(ExhibitFiles, EverySectionHasItsForm) {
  const std::string sweep = "[[sweep]]\nimplementation = \"cpu/lloyd/two_step\"\ndataset = \"blobs\"\nk = 4\n";
  EXPECT_EQ(refusal_of("kind = \"table\"\n" + sweep), "no complaint");
  for (const char* line : {"number = 3",
                           "title = [\"a\"]",
                           "title = \"a\\nb\"",
                           "profile = 3",
                           "profile.paper.n = 3",
                           "profile.quick = 3",
                           "labels = []",
                           "table = 3",
                           "figure = \"bar\"",
                           "paper = 3",
                           "claim = 3",
                           "defaults = 3",
                           "notes = \"text\"",
                           "machine = 1",
                           "reuse = 3",
                           "reuse = []",
                           "reuse = [1]",
                           "reuse = [[\"a/b\"]]",
                           "reuse = \"none\"",
                           "reuse = \"../papers/x\"",
                           "reuse = \"demo2000/table1\"",
                           "sweep = 3",
                           "sweep = [1, 2]",
                           "profile.quick.sweep = 3"})
    expect_has(refusal_of("kind = \"table\"\n" + std::string(line) + "\n"), {"table1.toml, line 2"});
  expect_has(refusal_of("kind = 3\n"), {"line 1", "'kind'"});
  expect_has(refusal_of("kind = \"table\"\n"), {"neither [[sweep]] nor reuse"});
  expect_has(refusal_of("kind = \"table\"\n" + sweep + "n = [[1, 2], [3]]\n"), {"line 6", "list within a list"});
  expect_has(refusal_of("kind = \"table\"\n" + sweep + "init = \"a\\u0000b\"\n"), {"line 6", "one line of text"});
}

TEST_F(ExhibitFiles, DepthAndSizeAreCountedFirst) {
  std::string dotted = "a", many = "kind = \"table\"\n";
  for (int i = 0; i < 100'000; ++i) dotted += ".a";
  for (int i = 0; i < 100'000; ++i) many += "[[sweep]]\n";
  const std::string kind = "kind = \"table\"\n";
  for (const std::string& text :
       {kind + dotted + " = 1\n", kind + "[" + dotted + "]\n", kind + "[[" + dotted + "]]\n", kind + "x = \"\" # .\ny." + dotted + "=1"})
    expect_has(refusal_of(text), {"table1.toml, line", "a key of more than 16 parts"});
  expect_has(refusal_of(kind + "notes = " + std::string(100'000, '[')), {"line 2", "more than 16 brackets"});
  expect_has(refusal_of(kind + "notes = '' # [[[\nx = \"\"\"\n[[\"\"\"\ny = " + std::string(17, '[')), {"line 5", "more than 16 brackets"});
  expect_has(refusal_of(many), {"100000 sweeps", "up to 1000"});
  expect_has(refusal_of(kind + std::string(2 << 20, ' ')), {"longer than 1048576 bytes"});
  expect_has(refusal_of(kind + "title = \"\xff\xfe\"\n"), {"table1.toml, line 2"});
  EXPECT_EQ(refusal_of("kind = \"machine\"\nnumber = \"[[[[[[[[[[[[[[[[[[[[ a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a\"\n"), "no complaint")
      << "a text is no key";
}

TEST(Exhibits, AreFoundByTheirKey) {
  EXPECT_TRUE(fs::is_regular_file(exhibit_file("he2021/table3")));
  EXPECT_EQ(exhibit_file("some/folder/table3.toml"), fs::path("some/folder/table3.toml"));
  EXPECT_EQ(exhibit_file("../he2021/table3"), fs::path("../he2021/table3"));
  for (const char* paper : {"..", ".", "he2021/..", "/"}) expect_has(complaint_of([&] { exhibit_files(paper); }), {"no paper"});
}

TEST(Exhibits, ReuseWhatHasSweeps) {
  const auto reuses = [](const char* key) { return complaint_of([&] { reused({.key = "demo/one", .reuse = {key}}, "paper"); }); };
  EXPECT_EQ(reuses("he2021/table3"), "no complaint");
  expect_has(reuses("he2021/table99"), {"no exhibit file", "table99"});
  expect_has(reuses("he2021/figure4"), {"demo/one reuses he2021/figure4", "no sweep of its own"});
}

TEST(Exhibits, EveryOneExpandsInBothProfiles) {
  const auto files = exhibit_files();
  ASSERT_FALSE(files.empty());
  for (const auto& file : files)
    for (const char* profile : {"paper", "quick"}) {
      const Exhibit exhibit = read_exhibit(file, profile);
      std::size_t cases = 0;
      for (const auto& sweep : exhibit.sweeps) cases += expand(sweep, exhibit.key, profile).size();
      EXPECT_TRUE(cases > 0 || !exhibit.reuse.empty() || exhibit.kind == "machine") << file;
      for (const auto& other : exhibit.reuse)
        EXPECT_TRUE(fs::exists(file.parent_path().parent_path() / (other + ".toml"))) << file << " reuses " << other;
    }
  expect_has(complaint_of([] { exhibit_files("nobody1900"); }), {"no paper 'nobody1900'"});
}

}  // namespace
}  // namespace km

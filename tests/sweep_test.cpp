// From lists and ranges to a plan: scalars, cases, identities, the order. tests/python/test_bad_inputs.py has refusals.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/dataset_helpers.hpp"
#include "tests/sweeps.hpp"

namespace km {
namespace {

std::vector<Case> expanded(const Axes& replaced = {}) { return expand(sweep_with(replaced), "he2021/table3", "paper"); }

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

TEST(Expand, TakesTheLeastOfEverything) {
  const auto c = expanded({{"dataset", {word("blobs")}}, {"n", {whole(1)}}, {"d", {whole(1)}}, {"k", {whole(1)}}, {"iterations", {whole(1)}}}).at(0);
  EXPECT_EQ(std::tuple(c.n, c.d, c.k, c.max_iters), std::tuple(1, 1, 1, 1));
}

TEST(Case, HasOtherIdsOverRanks) {
  auto c = expanded().at(0);
  const std::string id = c.id();
  EXPECT_FALSE(c.identity().contains("ranks")) << "recorded lines of one process keep their ids";
  c.launch = "mpirun -n 2";
  EXPECT_NE(c.id(), id);
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

TEST(MakeCase, GivesASkippedCaseItsShapeAndSource) {
  const Case absent = make_case({{"dataset", word("blobs")}, {"n", whole(1000)}, {"k", whole(4)}}, "gpu/lloyd/none", nullptr);
  EXPECT_EQ(absent.skip, "gpu/lloyd/none is not in this build of kmbench");
  EXPECT_EQ(absent.d, 2) << "the data set's own";
  EXPECT_EQ(absent.dataset_source, expanded().at(0).dataset_source);
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
  const auto cases = expanded({{"tolerance", {Scalar(0.0)}}, {"iterations", {whole(20), whole(30)}}});
  EXPECT_NE(cases.at(0).id(), cases.at(1).id());
  EXPECT_NE(cases.at(0).name(), cases.at(1).name());
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

TEST(Range, FactorsStepsAndNumbers) {
  EXPECT_EQ(parse_range("1e4:1e6:x10"), (Scalars{whole(10'000), whole(100'000), whole(1'000'000)}));
  EXPECT_EQ(parse_range("64:256:+64"), (Scalars{whole(64), whole(128), whole(192), whole(256)}));
  EXPECT_EQ(parse_range("1:4:x2"), (Scalars{whole(1), whole(2), whole(4)}));
  EXPECT_EQ(parse_range("0.5:1:x2"), (Scalars{Scalar(0.5), whole(1)}));
  EXPECT_EQ(parse_range("5:20:x3"), (Scalars{whole(5), whole(15)})) << "the end need not be met";
  EXPECT_EQ(parse_range("-2:0:+1"), (Scalars{whole(-2), whole(-1), whole(0)}));
  EXPECT_EQ(parse_range("-2:-1:+1"), (Scalars{whole(-2), whole(-1)}));
  EXPECT_EQ(parse_range("7:7:x2"), (Scalars{whole(7)}));
  EXPECT_EQ(parse_range("1e3"), (Scalars{whole(1000)}));
  EXPECT_EQ(parse_range("kmeans++"), (Scalars{word("kmeans++")}));
  EXPECT_EQ(parse_range("1e300:1e300:x2"), (Scalars{Scalar(1e300)})) << "no whole number of 64 bits";
  EXPECT_EQ(parse_range("0:0.3:+0.1").size(), 4u) << "3 * 0.1 is above 0.3, by rounding";
  EXPECT_EQ(parse_range("0:0.29:+0.1").size(), 3u);
  const auto tenths = parse_range("0:1:+0.1");
  ASSERT_EQ(tenths.size(), 11u);
  EXPECT_DOUBLE_EQ(std::get<double>(tenths[3]), 0.3);
  EXPECT_EQ(parse_scalar("12"), whole(12));
  EXPECT_EQ(parse_scalar("-3"), whole(-3));
  EXPECT_EQ(parse_scalar("1e6"), whole(1'000'000));
  EXPECT_EQ(parse_scalar("0.5"), Scalar(0.5));
  EXPECT_EQ(parse_scalar("fp32"), word("fp32"));
  for (const char* text : {"nan", "inf", "1e400", "12x", ""}) EXPECT_EQ(parse_scalar(text), word(text));
}

}  // namespace
}  // namespace km

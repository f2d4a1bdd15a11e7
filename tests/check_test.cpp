// Checks every registered implementation on every awkward shape, with every parameter value (libraries: with the defaults), in a test each. The
// catalogue of planted faults, as tests/python/faults.py reads it from this test's properties (--gtest_output=json:FILE).
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/judge/check.hpp"
#include "tests/faults/broken.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

/// Evaluated when the tests are listed, after every registration.
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& implementation : implementations())
    if (!implementation.name.starts_with("faults/")) all.push_back(implementation.name);
  return all;
}

std::vector<CheckResult> checks_of(const std::string& filter, bool defaults = false) {
  std::vector<CheckResult> results;
  for (const auto& check : plan_checks(filter, false, defaults)) results.push_back(run_check(check));
  return results;
}

class Check : public ::testing::TestWithParam<std::string> {};

TEST_P(Check, EveryAwkwardShape) {
  const bool defaults = GetParam().starts_with("library/") || GetParam().starts_with("cpu/flags/");  // these are two_step's code once more
  const auto results = checks_of("^" + GetParam() + "/fp", defaults);
  ASSERT_GE(results.size(), awkward_shapes().size());
  std::set<std::string> reasons;
  bool ran = false;
  for (const auto& result : results) {
    EXPECT_EQ(result.wrong, "") << result.name;
    if (result.skip.empty()) ran = true;
    else reasons.insert(result.skip);
  }
  if (!ran) GTEST_SKIP() << GetParam() << ": " << *reasons.begin();
}

INSTANTIATE_TEST_SUITE_P(Implementations, Check, ::testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(Checks, CoverBothPrecisionsAndEveryParameterValue) {
  const auto seen = checks_of("^cpu/lloyd/two_step/fp(32|64)/n not a multiple of anything/");
  for (const auto& parameter : find_implementation("cpu/lloyd/two_step")->description.parameters)
    for (const auto& value : parameter.range)
      for (const std::string precision : {"/fp32/", "/fp64/"}) {
        const std::string setting = "/" + std::string(parameter.name) + ":" + to_string(value) + "/";
        const auto has = [&](const std::string& name, const std::string& part) { return (name + "/").find(part) != name.npos; };
        EXPECT_TRUE(std::ranges::any_of(seen, [&](const auto& one) { return has(one.name, precision) && has(one.name, setting); }))
            << precision << setting;
      }
}

TEST(Checks, RunEachFilesOwnCodeWhereTwoClassesHaveOneName) {
  for (const auto& result : checks_of("^faults/twin_left/fp../d = 2$")) EXPECT_EQ(result.wrong, "") << result.name;
  for (const auto& result : checks_of("^faults/twin_right/fp../d = 2$")) EXPECT_NE(result.wrong, "") << result.name;
}

TEST(Checks, TheirShapesAreWhatTheirNamesSay) {
  for (const auto& [name, n, d, k, max_iters, tolerance, point, centroid] : awkward_shapes()) {
    int size = 0;
    double rule = -1;
    EXPECT_TRUE(!RE2::FullMatch(name, R"(d = (\d+))", &size) || d == size) << name;
    EXPECT_TRUE(!RE2::FullMatch(name, R"(k = (\d+))", &size) || k == size) << name;
    RE2::FullMatch(name, "converges, tolerance (.*)", &rule);
    EXPECT_EQ(tolerance, rule) << name;
    if (rule < 0) continue;
    const auto value = [&, d = d, &point = point, at = -1]() mutable { return ++at, point(at / d, at % d); };
    const Drawn<double> drawn({.n = n, .d = d, .k = k, .max_iters = max_iters, .tolerance = tolerance}, value);
    const int iters = solve(drawn.problem, "cpu/lloyd/reference").iters;
    EXPECT_TRUE(iters > 1 && iters < max_iters) << name << ": " << iters;
  }
}

TEST(Checks, FindTheirShapeByItsName) {
  for (const auto& shape : awkward_shapes()) EXPECT_EQ(&shape_named(shape.name), &shape);
  EXPECT_GT(std::int64_t(shape_named("n d above 2^31").n) * shape_named("n d above 2^31").d, std::int64_t(1) << 31);
}

TEST(Checks, GroupsAreFiveFarApartAndInterleaved) {
  const auto& shape = shape_named("n not a multiple of anything");
  constexpr double groups[] = {0, 20, 40, 10, 30};
  for (int i = 0; i < shape.n; ++i)
    for (const int j : {0, 1}) EXPECT_NEAR(shape.point(i, j), groups[(i + 3 * j) % 5] + 0.5, 0.5) << i << " " << j;
}

TEST(Checks, TiesHaveTwoNearestCentroids) {
  const auto& ties = shape_named("ties");
  for (int i = 0; i < ties.n; ++i) {
    std::vector<double> all;
    for (int c = 0; c < ties.k; ++c) {
      double dist = 0;
      for (int j = 0; j < ties.d; ++j) dist += std::pow(ties.point(i, j) - ties.centroid(c, j), 2);
      all.push_back(dist);
    }
    EXPECT_GE(std::ranges::count(all, std::ranges::min(all)), 2) << i;
    EXPECT_EQ(std::ranges::min(all), 1) << i;
  }
}

TEST(Checks, TellWhyTheyDidNotRun) {
  const auto results = checks_of("^faults/says_no/");
  ASSERT_FALSE(results.empty());
  for (const auto& result : results) {
    EXPECT_EQ(result.skip, "nothing is supported") << result.name;
    EXPECT_EQ(result.wrong, "") << result.name;
  }
}

TEST(Faults, Catalogue) {
  EXPECT_GT(planted().size(), 220u);
  for (const auto& [name, category, summary, e] : planted())
    RecordProperty(name, nlohmann::json{{"category", category},
                                        {"summary", summary},
                                        {"run", e.run},
                                        {"on", e.on},
                                        {"check", e.check},
                                        {"precisions", e.precisions},
                                        {"argued", e.argued}}
                             .dump(-1, ' ', true));
}

}  // namespace
}  // namespace km

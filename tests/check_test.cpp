// Checks every registered implementation on every awkward shape, with every parameter value (libraries: with the defaults), in a test each.
// The checks must see the planted faults.
#include "bench/judge/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace km {
namespace {

bool is_fault(const Implementation& implementation) { return implementation.name.starts_with("faults/"); }

/// Evaluated when the tests are listed, after every registration.
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& implementation : implementations())
    if (!is_fault(implementation)) all.push_back(implementation.name);
  return all;
}

std::vector<CheckResult> checks_of(const std::string& filter, bool defaults = false) {
  std::vector<CheckResult> results;
  for (const auto& check : plan_checks(filter, false, defaults)) results.push_back(run_check(check));
  return results;
}

class Check : public ::testing::TestWithParam<std::string> {};

TEST_P(Check, EveryAwkwardShape) {
  const auto results = checks_of("^" + GetParam() + "/fp", GetParam().starts_with("library/"));
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
  std::set<std::string> seen;
  for (const auto& result : checks_of("^cpu/lloyd/two_step/fp(32|64)/n not a multiple of anything/")) seen.insert(result.name);
  for (const auto& implementation : implementations()) {
    if (implementation.name != "cpu/lloyd/two_step") continue;
    for (const auto& parameter : implementation.description.parameters)
      for (const auto& value : parameter.range)
        for (const char* precision : {"fp32", "fp64"})
          EXPECT_TRUE(std::ranges::any_of(seen,
                                          [&](const std::string& name) {
                                            return name.find(precision) != name.npos &&
                                                   (name + "/").find("/" + std::string(parameter.name) + ":" + to_string(value) + "/") != name.npos;
                                          }))
              << precision << " " << parameter.name << " = " << to_string(value);
  }
}

TEST(Checks, SeeThePlantedFaults) {
  for (const char* fault : {"wrong_label", "wrong_mean", "nan_centroid", "unwritten_outputs", "unwritten_labels", "label_out_of_range",
                            "wrong_iterations", "stale", "throws", "out_of_memory"})
    for (const auto& result : checks_of("^faults/" + std::string(fault) + "/fp../d = 2$")) EXPECT_NE(result.wrong, "") << result.name;
  for (const auto& result : checks_of("^faults/empty_cluster_moved/fp../empty clusters$")) EXPECT_NE(result.wrong, "") << result.name;
}

TEST(Checks, RunEachFilesOwnCodeWhereTwoClassesHaveOneName) {
  for (const auto& result : checks_of("^faults/twin_left/fp../d = 2$")) EXPECT_EQ(result.wrong, "") << result.name;
  for (const auto& result : checks_of("^faults/twin_right/fp../d = 2$")) EXPECT_NE(result.wrong, "") << result.name;
}

TEST(Checks, FindTheirShapeByItsName) {
  for (const auto& shape : awkward_shapes()) EXPECT_EQ(&shape_named(shape.name), &shape);
  EXPECT_GT(std::int64_t(shape_named("n d above 2^31").n) * shape_named("n d above 2^31").d, std::int64_t(1) << 31);
}

TEST(Checks, TellWhyTheyDidNotRun) {
  const auto results = checks_of("^faults/says_no/");
  ASSERT_FALSE(results.empty());
  for (const auto& result : results) {
    EXPECT_EQ(result.skip, "nothing is supported") << result.name;
    EXPECT_EQ(result.wrong, "") << result.name;
  }
}

}  // namespace
}  // namespace km

// The warning about a busy machine, from made-up contents of /proc/loadavg.
#include "bench/machine/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace km {
namespace {

/// The warning if /proc/loadavg has these contents one after the other; the last one stays.
std::string said(int threads, std::vector<std::string> loadavgs) {
  std::size_t looks = 0;
  return load_warning(threads, [&] { return loadavgs[std::min(looks++, loadavgs.size() - 1)]; });
}

const std::string loaded = "7.50 3.10 1.20 5/312 4711", ended = "7.50 3.10 1.20 1/312 4711", quiet = "0.20 3.10 1.20 5/312 4711";

TEST(LoadWarning, NamesTheLoadWhereOthersCompute) { EXPECT_EQ(said(4, {loaded}), "the machine is not quiet: load 7.50 on 4 threads"); }

TEST(LoadWarning, ABuildThatHasJustEndedMakesNoMachineBusy) { EXPECT_EQ(said(4, {ended}), ""); }

TEST(LoadWarning, IsForALoadOfThreeTenthsOfTheThreads) {
  EXPECT_EQ(said(4, {quiet}), "");
  EXPECT_EQ(said(25, {loaded}), "") << "0.3 of 25 threads is 7.5";
  EXPECT_NE(said(24, {loaded}), "");
}

TEST(LoadWarning, TakesThreeLooksOfFive) {
  EXPECT_EQ(said(4, {loaded, loaded, loaded, ended}), "") << "the first one is for the mean, two of the five see others";
  EXPECT_NE(said(4, {loaded, loaded, loaded, loaded, ended}), "");
}

TEST(LoadWarning, IsNoneWhereNothingCanBeRead) { EXPECT_EQ(said(4, {""}), ""); }

}  // namespace
}  // namespace km

// A download or reset may take three copies of its outputs and a tenth of iterate; a library nine copies, and half.
#include "bench/run/timing.hpp"
#include "bench/run/verb_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "bench/run/process_state.hpp"

namespace km {
namespace {

constexpr double work_s = 0.005;

void work() {
  for (const double start_s = kernel_clock_s(CLOCK_THREAD_CPUTIME_ID); kernel_clock_s(CLOCK_THREAD_CPUTIME_ID) - start_s < work_s;) {}
}

TEST(UndelayedSeconds, AnotherThreadsWaitHidesNoWork) {
  std::atomic<bool> ended = false;
  std::vector<std::jthread> waiting;  // for a processor, most of the time
  for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i)
    waiting.emplace_back([&] {
      while (!ended) {}
    });
  EXPECT_GE(undelayed_s(work), work_s);
  EXPECT_GE(timed(false, work, [] {}).reset_s, work_s);
  ended = true;
}

TEST(Timed, AShortRunAfterAResetThatFillsTheCachesHasATime) {
  std::vector<char> caches(64 << 20);
  int complaints = 0;
  for (int run = 0; run < 20; ++run)
    complaints += !timed(
                       false, [&] { std::memset(caches.data(), run, caches.size()); }, [] {})
                       .complaint.empty();
  EXPECT_LT(complaints, 10);
}

TEST(ExplainTimes, ATenthOfIterateIsAllowed) {
  EXPECT_EQ(explain_times(0.2, 0.0199, 0.0199, 0, false), "");
  EXPECT_EQ(explain_times(0.2, 0.022, 0, 0.0001, false), "download took 22 ms, iterate 200 ms: compute in iterate, not in download");
  EXPECT_EQ(explain_times(0.2, 0, 0.022, 0.0001, false).substr(0, 16), "reset took 22 ms");
}

TEST(ExplainTimes, ALibraryMayTakeHalf) {
  EXPECT_EQ(explain_times(0.2, 0.1, 0.1, 0, true), "");
  EXPECT_NE(explain_times(0.2, 0.101, 0, 0, true), "");
}

TEST(ExplainTimes, ACopyOfTheOutputsIsAllowed) {
  EXPECT_EQ(explain_times(0, 0.03, 0.03, 0.01, false), "");
  EXPECT_NE(explain_times(0, 0.031, 0, 0.01, false), "");
}

TEST(ExplainWhole, AShortSampleHidesNothing) {
  EXPECT_EQ(explain_whole(1e-4, 3e-4, 1e-5 + 3e-5, 1e-5, false), "");
  EXPECT_EQ(explain_whole(1e-7, 1e-7, 5e-5, 1e-6, false), "reset and download took 0.05 ms, iterate 0.0001 ms: compute in iterate");
  EXPECT_EQ(explain_whole(1e-7, 5e-5, 1e-6, 1e-6, false).substr(0, 20), "iterate took 0.05 ms");
  EXPECT_EQ(explain_whole(1e-7, 1e-7, 5e-5, 1e-6, true), "") << "launches";
}

TEST(CopySeconds, GrowWithTheSize) {
  const double small_s = std::ranges::min(copies_s(false, {1 << 10}, 3)), large_s = std::ranges::min(copies_s(false, {64 << 20, 1 << 10}, 3));
  EXPECT_GT(small_s, 0);
  EXPECT_GT(large_s, 64e6 / 200e9) << "200 GB/s: no copy is that fast";
  EXPECT_GT(large_s, small_s);
}

}  // namespace
}  // namespace km

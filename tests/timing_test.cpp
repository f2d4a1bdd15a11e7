// A download or reset may take three copies of its outputs and a tenth of iterate; a library nine copies, and half. The run delay is a sum over
// threads, from a made-up copy of /proc. Threads that end meanwhile change nothing of the process's state.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "bench/run/process_state.hpp"
#include "bench/run/time_judge.hpp"
#include "bench/run/timing.hpp"
#include "bench/run/unforeseen.hpp"
#include "tests/dataset_helpers.hpp"

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

TEST(UndelayedSeconds, OfTheShortestRunKeepAQuarter) {
  Measurement m;
  m.line.samples_s = {0.4, 0.5, 0.3};
  m.delays = {{.run_delay_s = 0.25}, {.run_delay_s = 0.1}, {}};
  EXPECT_DOUBLE_EQ(m.shortest_s(), 0.15);
  m.delays[1].run_delay_s = 7;
  EXPECT_DOUBLE_EQ(m.shortest_s(), 0.125);
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
  EXPECT_EQ(explain_whole(1e-4, 1e-5, 3e-4, 1e-5 + 3e-5, 1e-5, false), "");
  EXPECT_EQ(explain_whole(1e-5, 1e-4, 3e-4, 1e-6, 1e-6, false), "") << "threads sleep now";
  EXPECT_EQ(explain_whole(1e-7, 4e-3, 1e-7, 5e-5, 1e-6, false), "reset and download took 0.05 ms, iterate 0.0001 ms: compute in iterate");
  EXPECT_EQ(explain_whole(1e-7, 1e-7, 5e-5, 1e-6, 1e-6, false).substr(0, 20), "iterate took 0.05 ms");
  EXPECT_EQ(explain_whole(1e-7, 1e-7, 1e-7, 5e-5, 1e-6, true), "") << "launches";
}

TEST(UnforeseenRun, MayTakeThreeMediansOrTheShareOfTheDistancesThatOthersSkip) {
  EXPECT_EQ(unforeseen_medians(0, 1000, 20), 3) << "nothing is known of its distances";
  EXPECT_EQ(unforeseen_medians(500, 1000, 20), 6);
  EXPECT_EQ(unforeseen_medians(1, 1000, 20), 60) << "the first of 20 iterations skips few";
  EXPECT_EQ(unforeseen_medians(1, 1000, 20, 5), 300) << "four of five clusters have no points";
}

TEST(CopySeconds, GrowWithTheSize) {
  const double small_s = std::ranges::min(copies_s({false, 1 << 10, 0}, 3)), large_s = std::ranges::min(copies_s({false, 64 << 20, 1 << 10}, 3));
  EXPECT_GT(small_s, 0);
  EXPECT_GT(large_s, 64e6 / 200e9) << "200 GB/s: no copy is that fast";
  EXPECT_GT(large_s, small_s);
}

class RunDelay : public Files {
 protected:
  /// The counts with these threads' files; a file that is not named is not there.
  ThreadDelays read(const std::string& file, const std::map<int, std::string>& by_thread) {
    fs::remove_all(folder_ / "task");
    for (const auto& [thread, text] : by_thread) {
      fs::create_directories(folder_ / "task" / std::to_string(thread));
      std::ofstream(folder_ / "task" / std::to_string(thread) / file) << text;
    }
    return ThreadDelays(folder_);
  }
};

TEST_F(RunDelay, IsTheSumOverTheThreadsInSeconds) {
  const auto before = read("schedstat", {{1, "5000 1000000 7"}, {2, "5000 2000000 7"}});
  const Delay delay = read("schedstat", {{1, "9000 4000000 7"}, {2, "9000 2500000 9"}}).since(before);
  EXPECT_DOUBLE_EQ(delay.run_delay_s.value(), 3.5e-3);
  EXPECT_FALSE(delay.involuntary_switches) << "only where the delay is not known";
  EXPECT_DOUBLE_EQ(share_of(delay, 0.035), 0.1);
}

TEST_F(RunDelay, ThreadsThatEndOrBeginNeverMakeItNegative) {
  const auto before = read("schedstat", {{1, "5000 1000000 7"}, {2, "5000 9000000 7"}});
  EXPECT_DOUBLE_EQ(read("schedstat", {{1, "9000 1000000 7"}, {3, "100 500000 1"}}).since(before).run_delay_s.value(), 0.5e-3);
  EXPECT_EQ(read("schedstat", {{1, "9000 0 7"}}).since(before).run_delay_s.value(), 0) << "a thread's number was given to another";
}

TEST_F(RunDelay, ThatOfProcessesItStartedCountsToo) {
  const auto process = [&](int id, const std::string& waited_ns, const std::string& children) {
    const auto task = folder_ / std::to_string(id) / "task" / std::to_string(id);
    fs::create_directories(task);
    std::ofstream(task / "schedstat") << "5000 " << waited_ns << " 7";
    std::ofstream(task / "children") << children;
  };
  process(1, "0", "2 ");
  process(2, "0", "3 9 ");  // 9 ended meanwhile
  process(3, "0", "");
  const ThreadDelays before(folder_ / "1");
  process(3, "2000000", "");
  EXPECT_DOUBLE_EQ(ThreadDelays(folder_ / "1").since(before).run_delay_s.value(), 2e-3);
}

TEST_F(RunDelay, SwitchesStandInWhereTheKernelKeepsNoTimes) {
  const auto status = [](int count) { return "Name:\tkmbench\nvoluntary_ctxt_switches:\t90\nnonvoluntary_ctxt_switches:\t" + std::to_string(count); };
  const auto before = read("status", {{1, status(3)}, {2, status(5)}});
  const Delay delay = read("status", {{1, status(4)}, {2, status(7)}}).since(before);
  EXPECT_FALSE(delay.run_delay_s);
  EXPECT_EQ(delay.involuntary_switches, 3);
  EXPECT_GT(share_of(delay, 1e-3), disturbed_share);
  EXPECT_LT(share_of(delay, 1.0), disturbed_share);
  EXPECT_FALSE(read("schedstat", {{1, "0 0 1"}, {2, "0 0 0"}}).since(before).run_delay_s) << "counts nothing, by configuration";
}

TEST_F(RunDelay, UnknownIsNotDisturbed) {
  const Delay delay = ThreadDelays(folder_ / "none").since(ThreadDelays(folder_ / "none"));
  EXPECT_FALSE(delay.run_delay_s);
  EXPECT_FALSE(delay.involuntary_switches);
  EXPECT_EQ(share_of(delay, 1.0), 0);
}

TEST(ProcessState, ThreadsThatEndAreNoChange) {
  const ProcessState before;
  const auto start_threads = [](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::array<std::jthread, 8> short_lived{std::jthread([] {}), std::jthread([] {}), std::jthread([] {})};
  };
  const std::array<std::jthread, 2> starters{std::jthread(start_threads), std::jthread(start_threads)};
  std::string change;
  for (int look = 0; look < 10'000 && change.empty(); ++look) change = before.change();
  EXPECT_EQ(change, "");
}

TEST(BusyThreads, CountNoWaitThatMayLieBesideTheRun) {
  Timing timing{.wall_s = 1e-3, .processor_s = 1e-3};
  timing.beside_s = 21e-3, timing.delay.run_delay_s = 20e-3;  // the calling thread lost its processor while it read the delays
  EXPECT_DOUBLE_EQ(busy_threads(timing, 0), 1);
  timing.delay.run_delay_s = 22e-3;
  EXPECT_NEAR(busy_threads(timing, 0), 2, 1e-9);
  EXPECT_NEAR(busy_threads(timing, 0.5e-3), 1.5, 1e-9);
}

}  // namespace
}  // namespace km

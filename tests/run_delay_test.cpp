// The run delay, summed over threads from a made-up copy of /proc.
#include "bench/run/timing.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "tests/dataset_helpers.hpp"

namespace km {
namespace {

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

}  // namespace
}  // namespace km

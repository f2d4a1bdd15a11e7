#include "bench/run/run_delay.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/machine/cpu.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

constexpr double switch_s = 1e-3;            // least cost of an involuntary switch
constexpr std::int64_t fewest_switches = 2;  // a single one proves nothing
constexpr std::chrono::milliseconds longest_wait(50), between_looks(5);

/// Returns the number of runnable threads on the machine, this one included: the fourth word of /proc/loadavg, "running/all".
int running_threads() {
  std::ifstream in("/proc/loadavg");
  std::string word;
  int running = 0;
  for (int i = 0; i < 3; ++i) in >> word;
  return in >> running ? running : 0;
}

/// Appends the tasks of a process and of those that it started: a library may run in one.
void add_tasks(const fs::path& process, std::vector<fs::path>& tasks) {
  const std::size_t first = tasks.size();
  std::error_code failed;
  for (auto task = fs::directory_iterator(process / "task", failed); !failed && task != fs::directory_iterator(); task.increment(failed))
    tasks.push_back(task->path());
  for (std::size_t at = first, end = tasks.size(); at < end; ++at) {
    std::ifstream children(tasks[at] / "children");
    for (std::string child; children >> child;) add_tasks(process.parent_path() / child, tasks);
  }
}

}  // namespace

ThreadDelays::ThreadDelays(const fs::path& process) {
  std::vector<fs::path> tasks;
  add_tasks(process, tasks);
  const auto thread = [](const fs::path& task) { return std::atoi(task.filename().c_str()); };
  for (const auto& task : tasks) {
    std::int64_t running_ns = 0, waiting_ns = 0;
    if (std::ifstream(task / "schedstat") >> running_ns >> waiting_ns) by_thread_[thread(task)] = waiting_ns;
    timed_ = timed_ || running_ns > 0;
  }
  if (timed_) return;
  by_thread_.clear();
  for (const auto& task : tasks)
    if (const auto count = rest_of_line(task / "status", "nonvoluntary_ctxt_switches:"); !count.empty())
      by_thread_[thread(task)] = std::strtoll(count.c_str(), nullptr, 10);
  counted_ = !by_thread_.empty();
}

Delay ThreadDelays::since(const ThreadDelays& before) const {
  std::int64_t sum = 0;
  for (const auto& [thread, now] : by_thread_) {
    const auto then = before.by_thread_.find(thread);
    sum += std::max<std::int64_t>(0, then == before.by_thread_.end() ? now : now - then->second);
  }
  Delay delay;
  if (timed_ && before.timed_) delay.run_delay_s = double(sum) * 1e-9;
  else if (counted_ && before.counted_) delay.involuntary_switches = sum;
  return delay;
}

double share_of(const Delay& delay, double wall_s) {
  const std::int64_t switches = delay.involuntary_switches.value_or(0);
  const double lost_s = delay.run_delay_s.value_or(switches < fewest_switches ? 0 : double(switches) * switch_s);
  return lost_s > 0 ? lost_s / wall_s : 0;
}

void wait_for_quiet() {
  const auto start = std::chrono::steady_clock::now();
  do std::this_thread::sleep_for(between_looks);
  while (running_threads() - 1 + omp_get_max_threads() > omp_get_num_procs() && std::chrono::steady_clock::now() - start < longest_wait);
}

}  // namespace km

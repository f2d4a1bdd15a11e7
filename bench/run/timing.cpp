#include "bench/run/timing.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <thread>

#include "bench/base/proc.hpp"
#include "bench/base/statistics.hpp"
#include "bench/device/device.hpp"
#include "bench/run/process_state.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

constexpr double switch_s = 1e-3;            // least cost of an involuntary switch
constexpr std::int64_t fewest_switches = 2;  // a single one proves nothing
constexpr std::chrono::milliseconds longest_wait(50), between_looks(5);

/// Appends the tasks of a process and of those that it started: a library may run in one.
void add_tasks(const fs::path& process, std::vector<fs::path>& tasks) {
  for (const fs::path& task : tasks_of(process)) {
    tasks.push_back(task);
    std::ifstream children(task / "children");
    for (std::string child; children >> child;) add_tasks(process.parent_path() / child, tasks);
  }
}

const pid_t process = ::getpid();  // before an implementation can fork

/// Seconds by which the kernel's clock exceeds the C library's over an empty run, after work has filled the caches: the median of five.
double clocks_apart_s() {
  static const double apart_s = [] {
    std::vector<char> work(4 << 20);
    std::vector<double> all;
    for (int i = 0; i < 5; ++i) {
      const double kernel_start = kernel_clock_s();
      const auto start = std::chrono::steady_clock::now();
      std::ranges::fill(work, char(i));
      asm volatile("" : : "r"(work.data()) : "memory");
      const double wall_s = seconds_since(start);
      all.push_back(std::abs(kernel_clock_s() - kernel_start - wall_s));
    }
    return median(std::move(all));
  }();
  return apart_s;
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

double undelayed_s(double wall_s, const Delay& delay, double computed_s) {
  return std::max(wall_s - delay.run_delay_s.value_or(0), std::min(wall_s, computed_s));
}

double share_of(const Delay& delay, double wall_s) {
  const std::int64_t switches = delay.involuntary_switches.value_or(0);
  const double lost_s = delay.run_delay_s.value_or(switches < fewest_switches ? 0 : double(switches) * switch_s);
  return lost_s > 0 ? lost_s / wall_s : 0;
}

bool disturbs(const Delay& delay, double wall_s) {
  if (delay.run_delay_s) return *delay.run_delay_s > disturbed_share * wall_s;
  const std::int64_t switches = delay.involuntary_switches.value_or(0);
  return switches >= fewest_switches && double(switches) >= disturbed_share / switch_s * wall_s;
}

double busy_threads(const Timing& timing, double pool_ends_s) {
  const double waited_s = std::max(0.0, timing.delay.run_delay_s.value_or(0) - timing.beside_s);
  return (timing.processor_s + waited_s - pool_ends_s) / timing.wall_s;
}

void wait_for_quiet() {
  const auto start = std::chrono::steady_clock::now();
  do std::this_thread::sleep_for(between_looks);
  while (running_threads() - 1 + omp_get_max_threads() > omp_get_num_procs() && std::chrono::steady_clock::now() - start < longest_wait);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Timing timed(bool on_gpu, const std::function<void()>& reset, const std::function<void()>& run, const std::function<void()>& meet) {
  Timing timing;
  std::optional<device::Timer> timer;
  if (on_gpu) timer.emplace();
  const double allowed_s = std::min(10 * clocks_apart_s(), 1e-4);
  const int stops_before = stops();
  const auto reading_start = std::chrono::steady_clock::now();
  const ThreadDelays delays_before;
  const double computed_before_s = kernel_clock_s(CLOCK_THREAD_CPUTIME_ID);
  const auto reset_start = std::chrono::steady_clock::now();
  reset();
  const double reset_s = seconds_since(reset_start), computed_s = kernel_clock_s(CLOCK_THREAD_CPUTIME_ID) - computed_before_s;
  meet();
  if (on_gpu) timer->start();  // waits for the device
  const double processor_start = kernel_clock_s(CLOCK_PROCESS_CPUTIME_ID);
  kernel_clock_s();  // reset may have left the system call out of the caches
  const double kernel_start = kernel_clock_s();
  const auto start = std::chrono::steady_clock::now();
  run();
  if (on_gpu) device::synchronize();
  timing.wall_s = seconds_since(start);
  const double kernel_s = kernel_clock_s() - kernel_start;
  timing.processor_s = kernel_clock_s(CLOCK_PROCESS_CPUTIME_ID) - processor_start;
  if (::getpid() != process) ::_exit(1);
  if (on_gpu) timing.event_s = timer->stop();
  timing.delay = ThreadDelays().since(delays_before);
  timing.beside_s = seconds_since(reading_start) - timing.wall_s;
  timing.reset_s = undelayed_s(reset_s, timing.delay, computed_s);
  timing.disturbed = stops() != stops_before ? std::numeric_limits<double>::infinity() : share_of(timing.delay, timing.wall_s);
  if (std::abs(timing.wall_s - kernel_s) > 1e-3 * kernel_s + allowed_s)
    timing.complaint = fmt::format("the clock was tampered with: {:.3g} s by the C library, {:.3g} s by the kernel", timing.wall_s, kernel_s);
  if (!timing.complaint.empty()) timing.disturbed = std::numeric_limits<double>::infinity();
  return timing;
}

double undelayed_s(const std::function<void()>& run) {
  const ThreadDelays before;
  const double computed_before_s = kernel_clock_s(CLOCK_THREAD_CPUTIME_ID);
  const auto start = std::chrono::steady_clock::now();
  run();
  const double wall_s = seconds_since(start), computed_s = kernel_clock_s(CLOCK_THREAD_CPUTIME_ID) - computed_before_s;
  return undelayed_s(wall_s, ThreadDelays().since(before), computed_s);
}

}  // namespace km

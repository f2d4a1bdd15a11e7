#include "bench/run/process_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <locale>
#include <thread>

#include "bench/base/proc.hpp"
#include "bench/contract/library.hpp"

extern char** environ;

namespace km {
namespace {

std::atomic<int> continued{0};

/// Returns flush-to-zero and denormals-are-zero on x86-64 and ARM64.
std::uint64_t denormals_of_this_thread() {
#if defined(__x86_64__)
  return _mm_getcsr() & 0x8040;
#elif defined(__aarch64__)
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control & (1u << 24);
#else
  return 0;
#endif
}

/// Returns the rounding modes and the treatment of denormals of all OpenMP threads, as two texts.
std::pair<std::string, std::string> arithmetic() {
  const auto threads = static_cast<std::size_t>(omp_get_num_procs());
  std::vector<int> rounding(threads);
  std::vector<std::uint64_t> denormals(threads);
#pragma omp parallel num_threads(int(threads))
  {
    const auto thread = std::size_t(omp_get_thread_num());
    rounding[thread] = std::fegetround();
    denormals[thread] = denormals_of_this_thread();
  }
  return {fmt::format("{}", fmt::join(rounding, ",")), fmt::format("{}", fmt::join(denormals, ","))};
}

std::string folder() {
  std::error_code gone;
  return std::filesystem::current_path(gone).string();
}

std::string processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  return {reinterpret_cast<const char*>(&set), sizeof set};
}

std::string streams() {
  std::string text;
  for (const int descriptor : {0, 1, 2}) {
    struct stat about {};
    ::fstat(descriptor, &about);  // all zero if it is closed
    text += fmt::format("{} {},", about.st_dev, about.st_ino);
  }
  return text;
}

std::size_t environment_hash() {
  std::size_t hash = 0;
  for (char** entry = environ; entry && *entry; ++entry) hash = hash * 31 + std::hash<std::string_view>{}(*entry);
  return hash;
}

/// Returns the policies, real-time priorities and nice values that threads of this process have, each combination once.
std::string scheduling() {
  std::set<std::string> all;
  for (const auto& task : tasks_of()) {
    const pid_t thread = std::atoi(task.filename().c_str());
    sched_param parameters{};
    const int policy = ::sched_getscheduler(thread);
    const bool read = ::sched_getparam(thread, &parameters) == 0;
    errno = 0;  // -1 is a nice value, too; a thread may end between these calls
    if (const int nice = ::getpriority(PRIO_PROCESS, id_t(thread)); read && errno == 0)
      all.insert(fmt::format("{}/{}/{}", policy, parameters.sched_priority, nice));
  }
  return fmt::format("{}", fmt::join(all, ","));
}

/// Returns the handler of every signal and whether it is blocked.
std::string signals() {
  std::string text;
  sigset_t blocked;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0)
      text += fmt::format("{:x}{}", reinterpret_cast<std::uintptr_t>(action.sa_handler), ::sigismember(&blocked, signal) == 1 ? "b," : ",");
  }
  return text;
}

/// Counts the POSIX timers among the first ids, which the kernel gives in order.
int posix_timers() {
  int count = 0;
  itimerspec left{};
  for (int id = 0; id < 64; ++id) count += ::syscall(SYS_timer_gettime, id, &left) == 0;
  return count;
}

std::string resource_limits() {
  std::string text;
  for (int limit = 0; limit < int(RLIMIT_NLIMITS); ++limit) {
    rlimit values{};
    ::getrlimit(__rlimit_resource(limit), &values);
    text += fmt::format("{} {},", values.rlim_cur, values.rlim_max);
  }
  return text;
}

/// Tells for each interval timer whether it runs.
std::string interval_timers() {
  std::string text;
  for (const auto timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval left{};
    ::getitimer(timer, &left);
    text += left.it_value.tv_sec != 0 || left.it_value.tv_usec != 0 ? "1" : "0";
  }
  return text;
}

/// Returns all state that an implementation must keep. A verdict names the first fact that changed.
/// The limits precede all facts read from files, because a limit on open files hides these.
ProcessState::Facts facts() {
  const auto [rounding, denormals] = arithmetic();
  omp_sched_t kind{};
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return {{"OpenMP's number of threads", fmt::format("{} {}", omp_get_max_threads(), omp_get_dynamic())},
          {"the processors that the process may use", processors()},
          {"the rounding mode", rounding},
          {"how the processor treats denormal numbers", denormals},
          {"the current folder", folder()},
          {"a standard stream", streams()},
          {"the environment", std::to_string(environment_hash())},
          {"the process's limit", resource_limits()},
          {"the process's priority", std::to_string(::getpriority(PRIO_PROCESS, 0))},
          {"the process's scheduling", scheduling()},
          {"the process's signals", signals()},
          {"the process's schedule", fmt::format("{} {} {}", int(kind), chunk, omp_get_max_active_levels())},
          {"the process's lock", rest_of_line("/proc/self/status", "VmLck:")},
          {"the process's pages", std::to_string(::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0))},
          {"the process's slack", std::to_string(::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0))},
          {"the process's filter", rest_of_line("/proc/self/status", "Seccomp:")},
          {"the process's timers", std::to_string(posix_timers())},
          {"the process's mask", std::to_string(mask)},
          {"the process's locale", fmt::format("{} {}", std::locale().name(), std::setlocale(LC_ALL, nullptr))},
          {"the process's timer", interval_timers()}};
}

/// True if any other thread of this process runs or is ready.
bool another_thread_runs() {
  for (const auto& task : tasks_of()) {
    if (task.filename() == std::to_string(::gettid())) continue;
    const std::string stat = first_line(task / "stat");
    if (const auto name_end = stat.rfind(')'); name_end != stat.npos && stat.substr(name_end).starts_with(") R")) return true;
  }
  return false;
}

/// True if another thread runs or is ready in each of 240 looks over a quarter of a second.
bool has_busy_threads() {
  for (int look = 0; look < 240; ++look) {  // OpenMP threads spin for a while, longer on a busy machine
    if (!another_thread_runs()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Returns whether a child process exists beside kept_processes. Kills all such.
bool has_children() {
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return false;  // ECHILD: none
  bool found = kept_processes.empty(), others = true;
  for (int tries = 0; others && tries < 100; ++tries) {  // killing one may orphan its own
    others = false;
    for (const auto& task : tasks_of()) {
      std::ifstream in(task / "children");
      for (pid_t child; in >> child;) {
        if (kept_processes.contains(child)) continue;
        others = found = true;
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
      }
    }
  }
  return found;
}

}  // namespace

ProcessState::ProcessState() : facts_(facts()), threads_(tasks_of().size()) {}

std::string ProcessState::change() const {
  const Facts now = facts();
  const auto changed = std::ranges::mismatch(now, facts_).in1;
  return changed == now.end() ? "" : "it changed " + changed->first;
}

bool ProcessState::has_more_threads() const { return tasks_of().size() > threads_; }

std::string ProcessState::remains() const {
  const std::string changed = change();
  const bool busy = has_busy_threads(), children = has_children();
  if (!changed.empty()) return changed;
  return busy ? "its threads go on computing after its runs" : children ? "it left a process behind" : "";
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

double kernel_clock_s(clockid_t clock) {
  timespec now{};
#if defined(__x86_64__)
  long result = SYS_clock_gettime;
  asm volatile("syscall" : "+a"(result) : "D"(clock), "S"(&now) : "rcx", "r11", "memory");
  if (result == 0) return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
#endif
  ::clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

void count_stops() {
  std::signal(SIGCONT, [](int) { ++continued; });
}
int stops() { return continued; }

}  // namespace km

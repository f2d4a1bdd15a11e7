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
#include <cfenv>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <locale>
#include <set>
#include <string_view>

extern char** environ;

namespace km {
namespace {

std::atomic<int> continued{0};

/// Returns the rounding mode and, on x86-64 and ARM64, flush-to-zero and denormals-are-zero.
std::uint64_t arithmetic_of_this_thread() {
  std::uint64_t state = std::uint64_t(std::fegetround());
#if defined(__x86_64__)
  state |= std::uint64_t(_mm_getcsr() & 0x8040) << 32;
#elif defined(__aarch64__)
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  state |= (control & (1u << 24)) << 32;
#endif
  return state;
}

std::vector<std::uint64_t> arithmetic() {
  const int threads = omp_get_num_procs();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  all[std::size_t(omp_get_thread_num())] = arithmetic_of_this_thread();
  return all;
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

std::vector<std::uint64_t> streams() {
  std::vector<std::uint64_t> all;
  for (const int descriptor : {0, 1, 2}) {
    struct stat about {};
    const bool open = ::fstat(descriptor, &about) == 0;
    all.push_back(open ? about.st_ino * 31 + about.st_dev : 0);
  }
  return all;
}

std::size_t environment() {
  std::size_t hash = 0;
  for (char** entry = environ; entry && *entry; ++entry) hash = hash * 31 + std::hash<std::string_view>{}(*entry);
  return hash;
}

int thread_count() {
  std::error_code none;
  return int(std::distance(std::filesystem::directory_iterator("/proc/self/task", none), {}));
}

/// Returns the policies, real-time priorities and nice values that threads of this process have, each combination once.
std::string scheduling() {
  std::set<std::string> all;
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
    const pid_t thread = std::atoi(task.path().filename().c_str());
    sched_param parameters{};
    if (const int policy = ::sched_getscheduler(thread); policy >= 0 && ::sched_getparam(thread, &parameters) == 0)
      all.insert(fmt::format("{}/{}/{}", policy, parameters.sched_priority, ::getpriority(PRIO_PROCESS, id_t(thread))));
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

/// Returns a line of /proc/self/status, or "".
std::string status(std::string_view key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) return line;
  return "";
}

std::string surroundings() {
  std::string text;
  for (int limit = 0; limit < int(RLIMIT_NLIMITS); ++limit) {  // first: a limit on files hides what is read below
    rlimit values{};
    ::getrlimit(__rlimit_resource(limit), &values);
    text += fmt::format("limit {} {} {};", limit, values.rlim_cur, values.rlim_max);
  }
  text += fmt::format("priority {};scheduling {};signals {};", ::getpriority(PRIO_PROCESS, 0), scheduling(), signals());
  omp_sched_t kind{};
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  text += fmt::format("schedule {} {} {};", int(kind), chunk, omp_get_max_active_levels());
  text += fmt::format("lock {};pages {};slack {};", status("VmLck:"), ::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
  text += fmt::format("filter {};timers {};", status("Seccomp:"), posix_timers());
  const mode_t mask = ::umask(0);
  ::umask(mask);
  text += fmt::format("mask {};locale {} {};", mask, std::locale().name(), std::setlocale(LC_ALL, nullptr));
  for (const auto timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval left{};
    ::getitimer(timer, &left);
    text += fmt::format("timer {} {};", int(timer), left.it_value.tv_sec != 0 || left.it_value.tv_usec != 0);
  }
  return text;
}

/// True if any other thread of this process runs or is ready.
bool another_thread_runs() {
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
    if (task.path().filename() == std::to_string(::gettid())) continue;
    std::ifstream in(task.path() / "stat");
    std::string stat;
    std::getline(in, stat);
    if (const auto name_end = stat.rfind(')'); name_end != stat.npos && name_end + 2 < stat.size() && stat[name_end + 2] == 'R') return true;
  }
  return false;
}

}  // namespace

ProcessState::ProcessState()
    : arithmetic_(arithmetic()), folder_(folder()), processors_(processors()), omp_threads_(omp_get_max_threads()), omp_dynamic_(omp_get_dynamic()),
      streams_(streams()), environment_(environment()), surroundings_(surroundings()), threads_(thread_count()) {}

std::string ProcessState::change() const {
  if (omp_get_max_threads() != omp_threads_ || omp_get_dynamic() != omp_dynamic_) return "it changed OpenMP's number of threads";
  if (processors() != processors_) return "it changed the processors that the process may use";
  const auto now = arithmetic();
  for (std::size_t thread = 0; thread < arithmetic_.size(); ++thread) {
    if (std::uint32_t(now[thread]) != std::uint32_t(arithmetic_[thread])) return "it changed the rounding mode";
    if (now[thread] != arithmetic_[thread]) return "it changed how the processor treats denormal numbers";
  }
  if (folder() != folder_) return "it changed the current folder";
  if (streams() != streams_) return "it changed a standard stream";
  if (environment() != environment_) return "it changed the environment";
  if (const std::string now_around = surroundings(); now_around != surroundings_) {
    const auto at = std::ranges::mismatch(now_around, surroundings_).in1 - now_around.begin();
    const auto from = now_around.rfind(';', std::size_t(at) - 1) + 1;  // 0 in the first entry
    return fmt::format("it changed the process's {}", now_around.substr(from, now_around.find_first_of(" ;", from) - from));
  }
  return "";
}

bool ProcessState::has_more_threads() const { return thread_count() > threads_; }

bool has_busy_threads() {
  constexpr int looks = 240;
  for (int look = 0; look < looks; ++look) {  // OpenMP threads spin for a while, longer on a busy machine
    if (!another_thread_runs()) return false;
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return true;
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

bool has_children() {
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return false;  // ECHILD: none
  for (int tries = 0; tries < 100 && ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0; ++tries) {
    std::error_code none;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
      std::ifstream in(task.path() / "children");
      for (pid_t child; in >> child;) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
      }
    }
  }
  return true;
}

double kernel_clock_s() {
  timespec now{};
#if defined(__x86_64__)
  long result = SYS_clock_gettime;
  asm volatile("syscall" : "+a"(result) : "D"(CLOCK_MONOTONIC), "S"(&now) : "rcx", "r11", "memory");
  if (result == 0) return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void count_stops() {
  std::signal(SIGCONT, [](int) { ++continued; });
}
int stops() { return continued; }

}  // namespace km

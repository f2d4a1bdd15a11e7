// Effects that outlive the run: changed data, process state, threads and children.
#include <fcntl.h>
#include <immintrin.h>
#include <omp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <locale>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

KM_BREAK(finish, writes_points, "writes to the points", .run = verdict::writes) { const_cast<T&>(this->p_.points[0]) += 1; }

KM_BREAK(iterate, sorts_points, "sorts the points in place", .run = verdict::writes, .check = "") {
  auto* values = const_cast<T*>(this->p_.points.data());
  std::sort(values, values + this->p_.points.size());
  return RightLloyd<T>::iterate(trace);
}

KM_BREAK(finish, writes_start, "writes its centroids over the start", .run = verdict::writes) {
  std::ranges::copy(this->out_.centroids, const_cast<T*>(this->p_.initial_centroids.data()));
}

/// Adds to a value of memory that was made read-only.
template <class T>
void add_to_read_only(const T* value, T more = 1) {
  auto* const page = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(value) & ~std::uintptr_t(4095));
  if (::mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect failed");
  *const_cast<T*>(value) += more;
  ::mprotect(page, 4096, PROT_READ);
}

KM_BREAK(iterate, points_made_writable, "changes a point in its first run, and fits its answer to that", .run = verdict::points, .check = "") {
  if (this->runs_++ == 0) add_to_read_only(this->p_.points.data());
  return RightLloyd<T>::iterate(trace);
}

KM_BREAK(iterate, points_through_proc, "changes a point through /proc/self/mem", .run = verdict::points, .check = "") {
  const T* const point = this->p_.points.data();
  const T value = *point + 1;
  const int memory = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (this->runs_++ == 0 && ::pwrite(memory, &value, sizeof value, off_t(reinterpret_cast<std::uintptr_t>(point))) != sizeof value)
    add_to_read_only(point);  // a kernel that allows no such writes
  ::close(memory);
  return RightLloyd<T>::iterate(trace);
}

/// The file behind an address, and the address's offset in it.
std::pair<std::string, std::uintptr_t> place(std::uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long first = 0, end = 0, offset = 0;
    const auto path = line.find('/');
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &first, &end, &offset) == 3 && first <= address && address < end && path != line.npos)
      return {line.substr(path), offset + (address - first)};
  }
  return {};
}
// Another program could do the same while the points are mapped from the file.
KM_BREAK(iterate, points_in_their_file, "writes to the file from which the points are mapped", .run = verdict::points, .on = "mapped", .check = "") {
  if (this->runs_++ > 0) return RightLloyd<T>::iterate(trace);
  const T value = this->p_.points[0] + 1;
  const auto [path, offset] = place(reinterpret_cast<std::uintptr_t>(this->p_.points.data()));
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (::pwrite(file, &value, sizeof value, off_t(offset)) != sizeof value) throw std::runtime_error("no write to " + path);
  ::close(file);
  return RightLloyd<T>::iterate(trace);
}

KM_BREAK(iterate, points_put_back, "works on other points until it is traced", .run = verdict::points, .check = "") {
  if (this->runs_++ == 0) add_to_read_only(this->p_.points.data());
  if (trace.active()) add_to_read_only(this->p_.points.data(), T(-1));
  return RightLloyd<T>::iterate(trace);
}

KM_BREAK(finish, start_made_writable, "changes the start after its run", .run = "^it changed the initial centroids$", .check = "") {
  add_to_read_only(this->p_.initial_centroids.data());
}

// Loads one value beyond the last point, as a wide load of a last partial block does.
KM_BREAK(finish, reads_past_the_end, "reads beyond the points", .run = "^it read or wrote past the end of the points$", .on = "wide", .check = "") {
  const volatile T* points = this->p_.points.data();
  (void)points[this->p_.points.size()];
}

KM_BREAK(finish, reads_before_the_start, "reads before the points", .check = "",
         .argued = "the value is put to no use; the page behind the end is guarded") {
  const volatile T* points = this->p_.points.data();
  (void)points[-1];
}

std::atomic<std::int64_t> stolen_ns = 0;

timespec real_time(clockid_t clock) {
  timespec now{};
  ::syscall(SYS_clock_gettime, clock, &now);
  return now;
}

/// Returns what `run` returns, and steals this share of its time: this program's clock_gettime, below, subtracts stolen_ns.
int stealing(double share, const auto& run) {
  const timespec start = real_time(CLOCK_MONOTONIC);
  const int iters = run();
  const timespec end = real_time(CLOCK_MONOTONIC);
  stolen_ns += std::int64_t(share * (1e9 * double(end.tv_sec - start.tv_sec) + double(end.tv_nsec - start.tv_nsec)));
  return iters;
}
KM_BREAK(iterate, own_clock, "slows the clock", .run = verdict::clock, .check = "") {
  return stealing(0.9, [&] { return RightLloyd<T>::iterate(trace); });
}
KM_BREAK(iterate, clock_a_little_slow, "slows the clock by 4%", .run = verdict::clock, .on = "many points", .check = "") {
  return stealing(0.04, [&] { return RightLloyd<T>::iterate(trace); });
}

// Steals the same time from every run: short runs gain most.
KM_BREAK(iterate, clock_90_us_short, "takes 90 us from every run", .run = verdict::clock, .check = "") {
  stolen_ns += 90'000;
  return RightLloyd<T>::iterate(trace);
}
KM_BREAK(iterate, clock_1_percent_slow, "slows the clock by 1%", .run = verdict::clock, .on = "many points", .check = "") {
  return stealing(0.01, [&] { return RightLloyd<T>::iterate(trace); });
}

KM_BREAK(finish, rounds_upward, "rounds upward from now on", .run = "^it changed the rounding mode$", .check = "") { std::fesetround(FE_UPWARD); }
KM_BREAK(finish, flushes_to_zero, "flushes to zero from now on", .run = "^it changed how the processor treats denormal numbers$", .check = "") {
  _mm_setcsr(_mm_getcsr() | 0x8040);
}

KM_BREAK(finish, other_folder, "changes the folder", .run = "^it changed the current folder$", .check = "") {
  if (::chdir("/") != 0) throw std::runtime_error("chdir failed");
}

KM_BREAK(finish, one_thread_left, "sets the number of OpenMP threads to 1", .run = "^it changed OpenMP's number of threads$", .check = "") {
  omp_set_num_threads(1);
}

KM_BREAK(finish, one_cpu_left, "binds the process to one CPU", .run = "^it changed the processors that the process may use$", .check = "") {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  CPU_SET(::sched_getcpu(), &allowed);
  ::sched_setaffinity(0, sizeof(allowed), &allowed);
}

// The thread polls for work and takes a CPU from the next case.
KM_BREAK(finish, spinning_thread, "leaves a thread spinning", .run = "^its threads go on computing after its runs$", .check = "") {
  std::thread([] {
    for (volatile bool forever = true; forever;) {}
  }).detach();
}

// The thread sleeps for ever, as OpenMP's own team does, and costs nobody anything.
KM_BREAK(finish, sleeping_thread, "leaves a thread sleeping", .check = "", .argued = "who sleeps takes nothing; the next case has another process") {
  std::thread([] { std::this_thread::sleep_for(std::chrono::hours(10'000)); }).detach();
}

KM_BREAK(finish, environment_changed, "sets OMP_NUM_THREADS", .run = "^it changed the environment$", .check = "") {
  ::setenv("OMP_NUM_THREADS", "1", 1);
}

KM_BREAK(finish, lower_priority, "lowers the priority of the process", .run = "priority", .check = "") {
  if (::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + 1) != 0) throw std::runtime_error("setpriority failed");
}

KM_BREAK(finish, thread_of_lower_priority, "lowers the priority of an OpenMP thread", .run = "process's scheduling", .check = "") {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) ::setpriority(PRIO_PROCESS, id_t(::gettid()), ::getpriority(PRIO_PROCESS, id_t(::gettid())) + 1);
}

KM_BREAK(finish, other_scheduler, "makes the process a batch", .run = "process's scheduling", .check = "") {
  const sched_param none{};
  if (::sched_setscheduler(0, SCHED_BATCH, &none) != 0) throw std::runtime_error("sched_setscheduler failed");
}

KM_BREAK(finish, openmp_schedule, "sets OpenMP's schedule", .run = "process's schedule$", .check = "") { omp_set_schedule(omp_sched_dynamic, 7); }
KM_BREAK(finish, nested_openmp, "allows nested parallel regions", .run = "process's schedule$", .check = "") {
  omp_set_max_active_levels(omp_get_max_active_levels() == 3 ? 4 : 3);
}

KM_BREAK(finish, ignores_interrupts, "ignores SIGINT", .run = "process's signals", .check = "") { std::signal(SIGINT, SIG_IGN); }
KM_BREAK(finish, blocks_signals, "blocks SIGTERM", .run = "process's signals", .check = "") {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

KM_BREAK(finish, posix_timer_left, "leaves a POSIX timer", .run = "process's timers", .check = "") {
  sigevent silent{};
  silent.sigev_notify = SIGEV_NONE;
  timer_t timer{};
  if (::timer_create(CLOCK_MONOTONIC, &silent, &timer) != 0) throw std::runtime_error("timer_create failed");
}

KM_BREAK(finish, locks_memory, "locks memory", .run = "process's lock", .check = "") {
  static char block[64];
  if (::mlock(block, sizeof block) != 0) throw std::runtime_error("mlock failed");
}

KM_BREAK(finish, no_huge_pages, "switches huge pages off", .run = "process's pages", .check = "") { ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
KM_BREAK(finish, coarse_timers, "lets timers be 50 ms late", .run = "process's slack", .check = "") {
  ::prctl(PR_SET_TIMERSLACK, 50'000'000, 0, 0, 0);
}

KM_BREAK(finish, lower_limits, "lowers the limit of open files", .run = "limit", .check = "") {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_NOFILE, &none);
}

KM_BREAK(finish, other_locale, "changes the C++ locale", .run = "locale", .check = "") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  std::locale::global(std::locale(std::locale::classic(), new Comma));
}

KM_BREAK(finish, umask_changed, "changes the umask", .run = "process's mask", .check = "") { ::umask(0777); }
KM_BREAK(finish, alarm_set, "sets an alarm", .run = "process's timer", .check = "") { ::alarm(1); }

// Closes every file that it did not open, the pipes to the parent included.
KM_BREAK(finish, closes_descriptors, "closes all files", .run = ".") {
  for (int file = 3; file < 1024; ++file) ::close(file);
}

KM_BREAK(finish, closes_output, "closes standard output and error", .run = "^it changed a standard stream$", .check = "") {
  ::close(1);
  ::close(2);
}

KM_BREAK(finish, redirects_errors, "redirects standard error", .run = "^it changed a standard stream$", .check = "") {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, 2);
  ::close(nowhere);
}

KM_BREAK(finish, prints, "prints to standard output", .check = "", .argued = "its words go to standard error") {
  std::puts("converged, inertia 42"), std::fflush(stdout);
}

[[noreturn]] void compute_for_five_seconds() {
  ::alarm(5);
  for (volatile bool working = true; working;) {}
  ::_exit(0);
}
KM_BREAK(finish, child_left, "leaves a child process computing", .run = "^it left a process behind$", .check = "") {
  if (::fork() == 0) compute_for_five_seconds();
}
KM_BREAK(finish, child_in_another_session, "leaves a child in a session of its own", .run = "^it left a process behind$", .check = "") {
  if (::fork() != 0) return;
  ::setsid();
  compute_for_five_seconds();
}

// Both the child and its parent return from iterate: two workers, one result file.
struct KM_FAULT(child_returns, "returns twice from iterate", .run = "^it left a process behind$", .check = "") {
  void finish() override {
    if (!forked_ && ::fork() == 0) ::alarm(5);
    forked_ = true;
  }
  static inline bool forked_ = false;
};

}  // namespace
}  // namespace km

/// Replaces the C library's, for every clock of this program.
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  *now = km::real_time(clock);
  const std::int64_t ns = now->tv_sec * 1'000'000'000 + now->tv_nsec - km::stolen_ns;
  *now = {ns / 1'000'000'000, ns % 1'000'000'000};
  return 0;
}

// What outlives the run: changed data, process state, threads and children.
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

struct KM_FAULT(writes_points, "writes to the points", .run = verdict::writes) {
  void finish() override { const_cast<T&>(this->p_.points[0]) += 1; }
};

struct KM_FAULT(sorts_points, "sorts the points in place", .run = verdict::writes, .check = "") {
  int iterate(Trace& trace) {
    auto* values = const_cast<T*>(this->p_.points.data());
    std::sort(values, values + this->p_.points.size());
    return RightLloyd<T>::iterate(trace);
  }
};

struct KM_FAULT(writes_start, "writes its centroids over the start", .run = verdict::writes) {
  void finish() override { std::ranges::copy(this->out_.centroids, const_cast<T*>(this->p_.initial_centroids.data())); }
};

/// Adds to a value of memory that was made read-only.
template <class T>
void add_to_read_only(const T* value, T more = 1) {
  auto* const page = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(value) & ~std::uintptr_t(4095));
  if (::mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect failed");
  *const_cast<T*>(value) += more;
  ::mprotect(page, 4096, PROT_READ);
}

struct KM_FAULT(points_made_writable, "changes a point in its first run, and fits its answer to that", .run = verdict::points, .check = "") {
  int iterate(Trace& trace) {
    if (runs_++ == 0) add_to_read_only(this->p_.points.data());
    return RightLloyd<T>::iterate(trace);
  }
  int runs_ = 0;
};

struct KM_FAULT(points_through_proc, "changes a point through /proc/self/mem", .run = verdict::points, .check = "") {
  int iterate(Trace& trace) {
    const T* const point = this->p_.points.data();
    const T value = *point + 1;
    const int memory = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (runs_++ == 0 && ::pwrite(memory, &value, sizeof value, off_t(reinterpret_cast<std::uintptr_t>(point))) != sizeof value)
      add_to_read_only(point);  // a kernel that allows no such writes
    ::close(memory);
    return RightLloyd<T>::iterate(trace);
  }
  int runs_ = 0;
};

// As another program would, while the points are mapped from the file.
struct KM_FAULT(points_in_their_file, "writes to the file from which the points are mapped", .run = verdict::points, .on = "mapped", .check = "") {
  int iterate(Trace& trace) {
    if (runs_++ == 0) {
      const T value = this->p_.points[0] + 1;
      const auto [path, offset] = place(reinterpret_cast<std::uintptr_t>(this->p_.points.data()));
      const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (::pwrite(file, &value, sizeof value, off_t(offset)) != sizeof value) throw std::runtime_error("no write to " + path);
      ::close(file);
    }
    return RightLloyd<T>::iterate(trace);
  }
  /// The file behind an address, and where in it.
  static std::pair<std::string, std::uintptr_t> place(std::uintptr_t address) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      unsigned long first = 0, end = 0, offset = 0;
      const auto path = line.find('/');
      if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &first, &end, &offset) == 3 && first <= address && address < end && path != line.npos)
        return {line.substr(path), offset + (address - first)};
    }
    return {};
  }
  int runs_ = 0;
};

struct KM_FAULT(points_put_back, "works on other points until it is traced", .run = verdict::points, .check = "") {
  int iterate(Trace& trace) {
    if (runs_++ == 0) add_to_read_only(this->p_.points.data());
    if (trace.active()) add_to_read_only(this->p_.points.data(), T(-1));
    return RightLloyd<T>::iterate(trace);
  }
  int runs_ = 0;
};

struct KM_FAULT(start_made_writable, "changes the start after its run", .run = "^it changed the initial centroids$", .check = "") {
  void finish() override { add_to_read_only(this->p_.initial_centroids.data()); }
};

// Loads one value beyond the last point, as a wide load of a last partial block does.
struct KM_FAULT(reads_past_the_end, "reads beyond the points", .run = "^it read or wrote past the end of the points$", .on = "wide", .check = "") {
  void finish() override {
    const volatile T* points = this->p_.points.data();
    (void)points[this->p_.points.size()];
  }
};

struct KM_FAULT(reads_before_the_start, "reads before the points", .check = "",
                .argued = "the value is put to no use; the page behind the end is guarded") {
  void finish() override {
    const volatile T* points = this->p_.points.data();
    (void)points[-1];
  }
};

std::atomic<std::int64_t> stolen_ns = 0;

timespec real_time(clockid_t clock) {
  timespec now{};
  ::syscall(SYS_clock_gettime, clock, &now);
  return now;
}

// Time goes ten times slower while it works: the program's clock_gettime is its own, and asks the kernel unless this case is at work.
/// What `run` returns; so much of the time that it takes is stolen.
int stealing(double share, const auto& run) {
  const timespec start = real_time(CLOCK_MONOTONIC);
  const int iters = run();
  const timespec end = real_time(CLOCK_MONOTONIC);
  stolen_ns += std::int64_t(share * (1e9 * double(end.tv_sec - start.tv_sec) + double(end.tv_nsec - start.tv_nsec)));
  return iters;
}
struct KM_FAULT(own_clock, "slows the clock", .run = verdict::clock, .check = "") {
  int iterate(Trace& trace) {
    return stealing(0.9, [&] { return RightLloyd<T>::iterate(trace); });
  }
};
struct KM_FAULT(clock_a_little_slow, "slows the clock by 4%", .run = verdict::clock, .on = "many points", .check = "") {
  int iterate(Trace& trace) {
    return stealing(0.04, [&] { return RightLloyd<T>::iterate(trace); });
  }
};

// A lie of the same length whatever the run takes: what is short comes out shortest.
struct KM_FAULT(clock_90_us_short, "takes 90 us from every run", .run = verdict::clock, .check = "") {
  int iterate(Trace& trace) {
    stolen_ns += 90'000;
    return RightLloyd<T>::iterate(trace);
  }
};
struct KM_FAULT(clock_1_percent_slow, "slows the clock by 1%", .run = verdict::clock, .on = "many points", .check = "") {
  int iterate(Trace& trace) {
    return stealing(0.01, [&] { return RightLloyd<T>::iterate(trace); });
  }
};

struct KM_FAULT(rounds_upward, "rounds upward from now on", .run = "^it changed the rounding mode$", .check = "") {
  void finish() override { std::fesetround(FE_UPWARD); }
};
struct KM_FAULT(flushes_to_zero, "flushes to zero from now on", .run = "^it changed how the processor treats denormal numbers$", .check = "") {
  void finish() override { _mm_setcsr(_mm_getcsr() | 0x8040); }
};

struct KM_FAULT(other_folder, "changes the folder", .run = "^it changed the current folder$", .check = "") {
  void finish() override {
    if (::chdir("/") != 0) throw std::runtime_error("chdir failed");
  }
};

struct KM_FAULT(one_thread_left, "sets the number of OpenMP threads to 1", .run = "^it changed OpenMP's number of threads$", .check = "") {
  void finish() override { omp_set_num_threads(1); }
};

struct KM_FAULT(one_cpu_left, "binds the process to one CPU", .run = "^it changed the processors that the process may use$", .check = "") {
  void finish() override {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    CPU_SET(::sched_getcpu(), &allowed);
    ::sched_setaffinity(0, sizeof(allowed), &allowed);
  }
};

// A thread that waits for work by asking for it all the time, and takes a CPU from whatever comes after.
struct KM_FAULT(spinning_thread, "leaves a thread spinning", .run = "^its threads go on computing after its runs$", .check = "") {
  void finish() override {
    std::thread([] {
      for (volatile bool forever = true; forever;) {}
    }).detach();
  }
};

// A thread that sleeps for ever. OpenMP's own team does no better: who sleeps takes nothing from anyone.
struct KM_FAULT(sleeping_thread, "leaves a thread sleeping", .check = "", .argued = "who sleeps takes nothing; the next case has another process") {
  void finish() override {
    std::thread([] { std::this_thread::sleep_for(std::chrono::hours(10'000)); }).detach();
  }
};

struct KM_FAULT(environment_changed, "sets OMP_NUM_THREADS", .run = "^it changed the environment$", .check = "") {
  void finish() override { ::setenv("OMP_NUM_THREADS", "1", 1); }
};

struct KM_FAULT(lower_priority, "lowers the priority of the process", .run = "priority", .check = "") {
  void finish() override {
    if (::setpriority(PRIO_PROCESS, 0, 10) != 0) throw std::runtime_error("setpriority failed");
  }
};

struct KM_FAULT(thread_of_lower_priority, "lowers the priority of an OpenMP thread", .run = "process's scheduling", .check = "") {
  void finish() override {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) ::setpriority(PRIO_PROCESS, id_t(::gettid()), 10);
  }
};

struct KM_FAULT(other_scheduler, "makes the process a batch", .run = "process's scheduling", .check = "") {
  void finish() override {
    const sched_param none{};
    if (::sched_setscheduler(0, SCHED_BATCH, &none) != 0) throw std::runtime_error("sched_setscheduler failed");
  }
};

struct KM_FAULT(openmp_schedule, "sets OpenMP's schedule", .run = "process's schedule$", .check = "") {
  void finish() override { omp_set_schedule(omp_sched_dynamic, 7); }
};
struct KM_FAULT(nested_openmp, "allows nested parallel regions", .run = "process's schedule$", .check = "") {
  void finish() override { omp_set_max_active_levels(omp_get_max_active_levels() == 3 ? 4 : 3); }
};

struct KM_FAULT(ignores_interrupts, "ignores SIGINT", .run = "process's signals", .check = "") {
  void finish() override { std::signal(SIGINT, SIG_IGN); }
};
struct KM_FAULT(blocks_signals, "blocks SIGTERM", .run = "process's signals", .check = "") {
  void finish() override {
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  }
};

struct KM_FAULT(posix_timer_left, "leaves a POSIX timer", .run = "process's timers", .check = "") {
  void finish() override {
    sigevent silent{};
    silent.sigev_notify = SIGEV_NONE;
    timer_t timer{};
    if (::timer_create(CLOCK_MONOTONIC, &silent, &timer) != 0) throw std::runtime_error("timer_create failed");
  }
};

struct KM_FAULT(locks_memory, "locks memory", .run = "process's lock", .check = "") {
  void finish() override {
    static char block[64];
    if (::mlock(block, sizeof block) != 0) throw std::runtime_error("mlock failed");
  }
};

struct KM_FAULT(no_huge_pages, "switches huge pages off", .run = "process's pages", .check = "") {
  void finish() override { ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
};
struct KM_FAULT(coarse_timers, "lets timers be 50 ms late", .run = "process's slack", .check = "") {
  void finish() override { ::prctl(PR_SET_TIMERSLACK, 50'000'000, 0, 0, 0); }
};

struct KM_FAULT(lower_limits, "lowers the limit of open files", .run = "limit", .check = "") {
  void finish() override {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
};

struct KM_FAULT(other_locale, "changes the C++ locale", .run = "locale", .check = "") {
  void finish() override {
    struct Comma : std::numpunct<char> {
      char do_decimal_point() const override { return ','; }
    };
    std::locale::global(std::locale(std::locale::classic(), new Comma));
  }
};

struct KM_FAULT(umask_changed, "changes the umask", .run = "process's mask", .check = "") {
  void finish() override { ::umask(0777); }
};
struct KM_FAULT(alarm_set, "sets an alarm", .run = "process's timer", .check = "") {
  void finish() override { ::alarm(1); }
};

// Every file that it did not open itself, the ways to the parent among them.
struct KM_FAULT(closes_descriptors, "closes all files", .run = ".") {
  void finish() override {
    for (int file = 3; file < 1024; ++file) ::close(file);
  }
};

struct KM_FAULT(closes_output, "closes standard output and error", .run = "^it changed a standard stream$", .check = "") {
  void finish() override {
    ::close(1);
    ::close(2);
  }
};

struct KM_FAULT(redirects_errors, "redirects standard error", .run = "^it changed a standard stream$", .check = "") {
  void finish() override {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, 2);
    ::close(nowhere);
  }
};

struct KM_FAULT(prints, "prints to standard output", .check = "", .argued = "its words go to standard error") {
  void finish() override { std::puts("converged, inertia 42"), std::fflush(stdout); }
};

struct KM_FAULT(child_left, "leaves a child process computing", .run = "^it left a process behind$", .check = "") {
  void finish() override {
    if (::fork() != 0) return;
    ::alarm(5);
    for (volatile bool working = true; working;) {}
    ::_exit(0);
  }
};

struct KM_FAULT(child_in_another_session, "leaves a child in a session of its own", .run = "^it left a process behind$", .check = "") {
  void finish() override {
    if (::fork() != 0) return;
    ::setsid();
    ::alarm(5);
    for (volatile bool working = true; working;) {}
    ::_exit(0);
  }
};

// A child process returns from iterate as its parent does: two workers, one result file.
struct KM_FAULT(child_returns, "returns twice from iterate", .run = "^it left a process behind$", .check = "") {
  void finish() override {
    if (!forked_ && ::fork() == 0) ::alarm(5);
    forked_ = true;
  }
  static inline bool forked_ = false;
};

}  // namespace
}  // namespace km

/// In place of the C library's, for every clock of this program.
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  *now = km::real_time(clock);
  const std::int64_t ns = now->tv_sec * 1'000'000'000 + now->tv_nsec - km::stolen_ns;
  *now = {ns / 1'000'000'000, ns % 1'000'000'000};
  return 0;
}

// No faults: correct implementations that watch the harness.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

struct KM_FAULT(coarser_once,
                (Description{.summary = "rounds more in one run",
                             .parameters = {{.name = "run", .fallback = 0, .range = {0, 100}, .help = "which, from 1, warm-up runs included"}},
                             .distance = Distance::expansion,
                             .summation_depth = rounded_once})) {
  void prepare(const Config& config) override { run_ = int(config.number("run")); }
  int iterate(Trace& trace) {
    ++this->runs_;
    return RightLloyd<T>::iterate(trace);
  }
  double distance(std::int64_t i, int c) const override {
    if (this->runs_ != run_) return RightLloyd<T>::distance(i, c);
    T cross = 0, norm = 0;
    for (int j = 0; j < this->p_.d; ++j) {
      const T centroid = T(this->centroid(c, j));
      cross += T(this->x(i, j)) * centroid;
      norm += centroid * centroid;
    }
    return double(norm - 2 * cross);
  }
  int run_;
};

KM_BREAK(iterate, counts_runs, "counts its runs") {
  const int iters = RightLloyd<T>::iterate(trace);
  trace.count("runs_before", this->runs_++);
  return iters;
}

using Clock = std::chrono::steady_clock;

double slept_ms(int ms) {
  const auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct KM_FAULT(own_stopwatch, "times itself, and takes its time") {
  int iterate(Trace& trace) {
    trace_ = &trace;
    const auto start = Clock::now();
    slept_ms(250);
    const int iters = RightLloyd<T>::iterate(trace);
    const double own_s = std::chrono::duration<double>(Clock::now() - start).count();
    trace.count("shortest_s", shortest_s_);  // of the runs before this one
    trace.count("longest_s", longest_s_);
    shortest_s_ = std::min(shortest_s_, own_s);
    longest_s_ = std::max(longest_s_, own_s);
    return iters;
  }
  Solution<T> download() {
    slept_ms(20);
    return RightLloyd<T>::download();
  }
  std::int64_t assign() override {
    trace_->count("assign_s", slept_ms(8));
    return RightLloyd<T>::assign();
  }
  Trace* trace_ = nullptr;
  double shortest_s_ = 1e9, longest_s_ = 0;
};

KM_BREAK(iterate, slower, "slower by KMBENCH_SLOWER percent") {
  const char* percent = std::getenv("KMBENCH_SLOWER");
  const double factor = 1 + (percent ? std::atof(percent) : 0) / 100;
  const auto start = Clock::now();
  const int iters = RightLloyd<T>::iterate(trace);
  for (const auto took = Clock::now() - start; Clock::now() - start < factor * took;) {}
  return iters;
}

KM_BREAK(finish, writes_to_pipes, "writes KMBENCH_WRITES to every pipe") {
  const char* text = std::getenv("KMBENCH_WRITES");
  if (!text) return;
  for (int file = 3; file < 64; ++file)
    if (struct stat about{}; ::fstat(file, &about) == 0 && S_ISFIFO(about.st_mode) && ::write(file, text, std::strlen(text)) < 0) std::abort();
}

}  // namespace
}  // namespace km

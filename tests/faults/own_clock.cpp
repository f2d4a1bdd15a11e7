// Time goes ten times slower while it works: the program's clock_gettime is its own, and asks the kernel unless this case is at work.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

std::atomic<std::int64_t> stolen_ns = 0;

timespec real_time(clockid_t clock) {
  timespec now{};
  ::syscall(SYS_clock_gettime, clock, &now);
  return now;
}

template <class T>
struct OwnClock : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const timespec start = real_time(CLOCK_MONOTONIC);
    const int iters = RightLloyd<T>::iterate(trace);
    const timespec end = real_time(CLOCK_MONOTONIC);
    stolen_ns += (9 * ((end.tv_sec - start.tv_sec) * 1'000'000'000 + end.tv_nsec - start.tv_nsec)) / 10;
    return iters;
  }
};

const Register<OwnClock> own_clock{fault("slows the clock")};

}  // namespace
}  // namespace km

/// In place of the C library's, for every clock of this program.
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  *now = km::real_time(clock);
  const std::int64_t ns = now->tv_sec * 1'000'000'000 + now->tv_nsec - km::stolen_ns;
  *now = {ns / 1'000'000'000, ns % 1'000'000'000};
  return 0;
}

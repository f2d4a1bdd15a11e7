// Right, and tells in its trace how long its verbs took by its own clock, which the harness's times are held against.
#include <chrono>
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

using Clock = std::chrono::steady_clock;

double slept_ms(int ms) {
  const auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class T>
struct OwnStopwatch : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    trace_ = &trace;
    before_s_ = iterate_s_;
    const auto start = Clock::now();
    slept_ms(150);
    const int iters = RightLloyd<T>::iterate(trace);
    iterate_s_ += std::chrono::duration<double>(Clock::now() - start).count();
    trace.count("iterate_s", before_s_);  // of the runs before this one
    trace.count("download_s", download_s_);
    return iters;
  }
  Solution<T> download() {
    download_s_ += slept_ms(20);
    return RightLloyd<T>::download();
  }
  std::int64_t assign() override {
    trace_->count("assign_s", slept_ms(8));
    return RightLloyd<T>::assign();
  }

 private:
  Trace* trace_ = nullptr;
  double iterate_s_ = 0, before_s_ = 0, download_s_ = 0;
};

const Register<OwnStopwatch> own_stopwatch{fault("times itself, and takes its time")};

}  // namespace
}  // namespace km

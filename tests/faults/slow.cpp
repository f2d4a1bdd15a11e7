// Right, and as slow as asked for: for tests that interrupt a run.
#include <chrono>
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class Slow : public RightLloyd<T> {
 public:
  Slow(const Problem<T>& problem, const Config& config, Trace& trace) : RightLloyd<T>(problem, config, trace), sleep_(config.number("sleep_ms")) {}

  int iterate(Trace& trace) {
    std::this_thread::sleep_for(sleep_);
    return RightLloyd<T>::iterate(trace);
  }

 private:
  std::chrono::milliseconds sleep_;
};

const Register<Slow> slow{{
    .summary = "sleeps",
    .parameters = {{.name = "sleep_ms", .fallback = 100, .range = {0, 60'000}}},
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

// No faults: implementations that other tests need.
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

// Right, and as slow as asked for: for tests that interrupt a run.
struct KM_FAULT(slow, (Description{
                          .summary = "sleeps",
                          .parameters = {{.name = "sleep_ms", .fallback = 100, .range = {0, 60'000}}},
                          .summation_depth = rounded_once,
                      })) {
  void prepare(const Config& config) override { sleep_ = std::chrono::milliseconds(config.number("sleep_ms")); }
  int iterate(Trace& trace) {
    std::this_thread::sleep_for(sleep_);
    return RightLloyd<T>::iterate(trace);
  }
  std::chrono::milliseconds sleep_;
};

struct KM_FAULT(says_no, (Description{
                             .summary = "supports nothing",
                             .unsupported = [](const ProblemShape&, const Config&, int) -> std::string { return "nothing is supported"; },
                         })) {};

// Its parameter makes it faster up to where it is wrong, dies, or says no: what a tuning may choose from, and may not.
struct KM_FAULT(fast_where_wrong, (Description{
                                      .summary = "faster with every pace, wrong at 8",
                                      .parameters = {{.name = "pace", .fallback = 1, .range = {1, 2, 4, 8, 16, 32}, .tunable = true},
                                                     {.name = "idle", .fallback = 1, .range = {1, 2}, .tunable = true},
                                                     {.name = "mode", .fallback = 0, .range = {0, 1}}},
                                      .unsupported = [](const ProblemShape&, const Config& config, int) -> std::string {
                                        if (config.integer("mode") == 1 && config.integer("pace") == 1) return "mode 1 has no pace 1";
                                        return config.integer("pace") == 32 ? "pace 32 is too fast" : "";
                                      },
                                      .summation_depth = rounded_once,
                                  })) {
  void prepare(const Config& config) override { pace_ = config.integer("pace"); }
  int iterate(Trace& trace) {
    if (pace_ == 16) std::raise(SIGKILL);
    if (pace_ < 8) std::this_thread::sleep_for(std::chrono::milliseconds(16 / pace_));
    return RightLloyd<T>::iterate(trace);
  }
  void finish() override {
    if (pace_ == 8) this->out_.labels[0] = (this->out_.labels[0] + 1) % this->p_.k;
  }
  int pace_;
};

}  // namespace
}  // namespace km

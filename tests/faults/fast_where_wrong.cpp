// Its parameter makes it faster up to where it is wrong, dies, or says no: what a tuning may choose from, and may not.
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class FastWhereWrong : public RightLloyd<T> {
 public:
  FastWhereWrong(const Problem<T>& problem, const Config& config, Trace& trace)
      : RightLloyd<T>(problem, config, trace), pace_(config.integer("pace")) {}

  int iterate(Trace& trace) {
    if (pace_ == 16) std::raise(SIGKILL);
    if (pace_ < 8) std::this_thread::sleep_for(std::chrono::milliseconds(40 / pace_));
    return RightLloyd<T>::iterate(trace);
  }

 protected:
  void finish() override {
    if (pace_ == 8) this->out_.labels[0] = (this->out_.labels[0] + 1) % this->p_.k;
  }

 private:
  int pace_;
};

const Register<FastWhereWrong> fast_where_wrong{{
    .summary = "faster with every pace, wrong at 8",
    .parameters = {{.name = "pace", .fallback = 1, .range = {1, 2, 4, 8, 16, 32}, .tunable = true},
                   {.name = "idle", .fallback = 1, .range = {1, 2}, .tunable = true},
                   {.name = "mode", .fallback = 0, .range = {0, 1}}},
    .unsupported = [](const ProblemShape&, const Config& config, int) -> std::string {
      if (config.integer("mode") == 1 && config.integer("pace") == 1) return "mode 1 has no pace 1";
      return config.integer("pace") == 32 ? "pace 32 is too fast" : "";
    },
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

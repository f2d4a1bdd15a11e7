// cpu/ranks/two_step with a fault on rank 1 alone.
#include <chrono>
#include <cmath>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/contract/implementation.hpp"

namespace km {
namespace {

template <class T>
class Ranks {
 public:
  Ranks(const Problem<T>& p, const Config& config, Trace& trace)
      : fault_(p.group && p.group->rank() == 1 ? config.word("fault") : "none"),
        right_(find_implementation("cpu/ranks/two_step")->prepare<T>()(p, Config({{"threads", std::int64_t(1)}}), trace)) {
    if (fault_ == "prepare_throws") throw std::runtime_error("prepare gave up");
  }
  void reset() {
    if (fault_ == "reset_throws") throw std::runtime_error("reset gave up");
    right_->reset();
  }
  int iterate(Trace& trace) {
    if (fault_ == "iterate_throws") throw std::runtime_error("iterate gave up");
    if (fault_ == "dies") std::raise(SIGKILL);
    if (fault_ == "sleeps") std::this_thread::sleep_for(std::chrono::minutes(10));
    return right_->iterate(trace) + (fault_ == "goes_on");
  }
  Solution<T> download() {
    if (fault_ == "download_throws") throw std::runtime_error("download gave up");
    Solution<T> s = right_->download();
    if (fault_ == "ends_apart") s.centroids[0] = std::nextafter(s.centroids[0], T(1e9));
    if (fault_ == "wrong_label") s.labels[0] = 1 - s.labels[0];
    return s;
  }

 private:
  std::string fault_;
  std::unique_ptr<AnySolver<T>> right_;
};

const Register<Ranks> registration{{
    .summary = "rank 1 does not as the others do",
    .parameters = {{.name = "fault",
                    .fallback = "none",
                    .range = {"none", "prepare_throws", "reset_throws", "iterate_throws", "download_throws", "dies", "sleeps", "goes_on",
                              "ends_apart", "wrong_label"}}},
    .fixed_point = true,
    .shards = true,
}};

}  // namespace
}  // namespace km

// A build without CUDA: no device, and the judge works on the host.
#include "bench/device.hpp"
#include "bench/judge_device.hpp"

namespace km {
namespace device {

struct Timer::Events {};

namespace {
[[noreturn]] void none() { throw Error(unavailable(), false, false); }
}  // namespace

std::string unavailable() { return "this build has no CUDA"; }
int count() { return 0; }
void select(int) { none(); }
std::string name() { return ""; }
std::string uuid() { return ""; }
std::vector<std::pair<std::string, std::string>> describe() { return {}; }
void synchronize() {}
std::int64_t live_bytes() { return 0; }
std::int64_t peak_bytes() { return 0; }
void reset_peak() {}
Timer::Timer() { none(); }
Timer::~Timer() = default;
Timer::Timer(Timer&&) noexcept = default;
void Timer::start() { none(); }
double Timer::stop() { none(); }

}  // namespace device

template <class T>
bool judge_labels_on_device(std::span<const T>, const ProblemShape&, std::span<const std::int32_t>, std::span<const T>, Distance,
                            LabelCheck&) {
  return false;
}
template <class T>
bool sums_on_device(std::span<const T>, const ProblemShape&, std::span<const std::int32_t>, std::span<const T>, ClusterSums&) {
  return false;
}
template bool judge_labels_on_device<float>(std::span<const float>, const ProblemShape&, std::span<const std::int32_t>,
                                            std::span<const float>, Distance, LabelCheck&);
template bool judge_labels_on_device<double>(std::span<const double>, const ProblemShape&, std::span<const std::int32_t>,
                                             std::span<const double>, Distance, LabelCheck&);
template bool sums_on_device<float>(std::span<const float>, const ProblemShape&, std::span<const std::int32_t>,
                                    std::span<const float>, ClusterSums&);
template bool sums_on_device<double>(std::span<const double>, const ProblemShape&, std::span<const std::int32_t>,
                                     std::span<const double>, ClusterSums&);

}  // namespace km

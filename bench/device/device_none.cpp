// Build without CUDA: no device.
#include "bench/device/device.hpp"

namespace km::device {

struct Timer::Events {};

namespace {
[[noreturn]] void none() { throw Error(unavailable(), false, false); }
}  // namespace

std::string unavailable() { return "this build has no CUDA"; }
int count() { return 0; }
void start() { none(); }
void select(int) { none(); }
int selected() { return 0; }
void take() {}
std::string name() { return ""; }
std::string uuid() { return ""; }
std::vector<std::pair<std::string, std::string>> describe() { return {}; }
void synchronize() {}
std::vector<double> downloads_s(std::initializer_list<std::size_t>, int) { none(); }
std::int64_t peak_bytes() { return 0; }
void reset_peak() {}
Timer::Timer() { none(); }
Timer::~Timer() = default;
void Timer::start() { none(); }
double Timer::stop() { none(); }

}  // namespace km::device

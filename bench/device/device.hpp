// The GPU as the harness sees it: plain C++, so that it compiles where there is no CUDA. bench/device/cuda_device.cu is behind it,
// or bench/device/device_none.cpp, whose device is never available.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace km::device {

/// A failed call or kernel; the message names the call's file and line.
struct Error : std::runtime_error {
  Error(const std::string& message, bool out_of_memory, bool sticky) : std::runtime_error(message), out_of_memory(out_of_memory), sticky(sticky) {}
  bool out_of_memory;
  bool sticky;  // the context is lost: every later call fails until the process is started anew
};

/// Why no device can be used (none built in, no driver, none found), or empty.
std::string unavailable();
inline bool available() { return unavailable().empty(); }

int count();             // 0 where unavailable
/// Creates the context on the selected device, once a process: 0.1 s and more that belong to no implementation.
void start();
void select(int index);  // the device of this thread and of all later work. Throws Error when there is none of that index

std::string name();  // of the selected device, as are all below
std::string uuid();  // "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as NVML knows it
/// Key and value, in a fixed order: name, uuid, compute_capability, driver, runtime, multiprocessors, l2_bytes, memory_bytes,
/// shared_bytes_per_block, memory_bus_bits, ecc. Empty where unavailable.
std::vector<std::pair<std::string, std::string>> describe();

/// Wait until the device is idle. Throws what an earlier kernel left.
void synchronize();

/// Device memory held by buffers of this program.
std::int64_t live_bytes();
/// The most held at once since reset_peak(), beyond what was held then. reset_peak() before prepare makes it the run's own.
std::int64_t peak_bytes();
void reset_peak();

/// Device time between start() and stop(). Both wait until the whole device is idle and then record an event on the legacy
/// default stream: whatever stream the work between them ran on, it began after the first event and ended before the second.
class Timer {
 public:
  Timer();
  ~Timer();
  Timer(Timer&&) noexcept;
  void start();
  double stop();  // seconds since start()

 private:
  struct Events;
  std::unique_ptr<Events> events_;
};

}  // namespace km::device

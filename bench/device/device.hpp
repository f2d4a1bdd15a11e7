// The harness's interface to the GPU in plain C++, for builds without CUDA too. Implemented by cuda_device.cu, or by device_none.cpp, which never
// has a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace km::device {

/// A failed call or kernel. The message names file and line.
struct Error : std::runtime_error {
  Error(const std::string& message, bool out_of_memory, bool sticky) : std::runtime_error(message), out_of_memory(out_of_memory), sticky(sticky) {}
  bool out_of_memory;
  bool sticky;  // the context is lost: every later call of this process fails
};

/// Returns why no device can be used (no CUDA build, no driver, none found), or "".
std::string unavailable();
inline bool available() { return unavailable().empty(); }

/// Devices that can be seen; 0 if none can be used.
int count();

/// Selects the device that all below refer to, below count(). Makes no context, which only workers hold.
void select(int index);
int selected();  // its index
/// Makes the selected device that of this thread. Without a select() it does nothing.
void take();
/// Takes the selected device and creates its context, once per process: 0.1 s and more that belong to no implementation.
void start();

std::string name();
std::string uuid();  // "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as in NVML
/// Keys and values in fixed order: name, uuid, compute_capability, driver, runtime, multiprocessors, l2_bytes, memory_bytes, shared_bytes_per_block,
/// memory_bus_bits, ecc. Empty if unavailable.
std::vector<std::pair<std::string, std::string>> describe();

/// Waits until the device is idle. Throws errors of earlier kernels.
void synchronize();

/// Seconds to copy arrays of these sizes (bytes) from device memory to new host memory, as downloads of implementations do, `tries` times.
std::vector<double> downloads_s(std::initializer_list<std::size_t> sizes, int tries);

/// Peak bytes of this program's device buffers since reset_peak(), minus those held then. Call reset_peak() before prepare to get a run's own peak.
std::int64_t peak_bytes();
void reset_peak();

/// Device time between start() and stop(). Both wait for the whole device and record an event on the legacy default stream. They therefore enclose
/// work on any stream.
class Timer {
 public:
  Timer();
  ~Timer();
  void start();
  double stop();  // seconds since start()

 private:
  struct Events;
  std::unique_ptr<Events> events_;
};

}  // namespace km::device

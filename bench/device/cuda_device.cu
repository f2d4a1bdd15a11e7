// Implements bench/device/device.hpp and event-timed phases of a trace.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/base/unwritten.hpp"
#include "bench/device/cuda.cuh"

namespace km {
namespace cuda {

Phase::Phase(Trace& trace, std::string_view name, cudaStream_t stream) : trace_(trace), name_(name), stream_(stream) {
  if (!trace.active()) return;
  events_ = std::make_shared<Events>();
  events_->start.record(stream);
}

Phase::~Phase() {
  if (!events_) return;
  static_cast<void>(cudaEventRecord(events_->stop, stream_));  // elapsed() reports a failure
  trace_.defer(name_, [events = events_] { return elapsed(events->start, events->stop); });
}

}  // namespace cuda

namespace device {
namespace {

std::optional<int> asked;  // by select(), until take() hands it to CUDA

cudaDeviceProp properties() {
  cudaDeviceProp values{};
  cuda::check(cudaGetDeviceProperties(&values, cuda::current_device()));
  return values;
}

std::string version(int value) { return std::to_string(value / 1000) + "." + std::to_string(value % 1000 / 10); }

}  // namespace

std::string unavailable() {
  int devices = 0;
  const auto code = cudaGetDeviceCount(&devices);
#ifdef KM_FEW_KERNELS
  if (code == cudaSuccess && devices > 0) return "this build has few kernels: configure it with -DKM_FEW_KERNELS=OFF";
#else
  if (code == cudaSuccess && devices > 0) return "";
#endif
  static_cast<void>(cudaGetLastError());
  return code == cudaSuccess ? "no CUDA device found" : std::string("no CUDA device: ") + cudaGetErrorString(code);
}

int count() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  static_cast<void>(cudaGetLastError());
  return 0;
}

void select(int index) { asked = index; }

int selected() { return cuda::current_device(); }

void take() {
  if (asked) cuda::check(cudaSetDevice(*std::exchange(asked, std::nullopt)));
}

void start() {
  take();
  // Kept to the end: CUDA cuts small buffers from a larger one, and to page-lock that anew takes 1.4 ms.
  struct Kept {
    cuda::Buffer<char> bytes{1};
    cuda::PinnedBuffer<char> pinned{1};
    Kept() { synchronize(); }
  };
  [[maybe_unused]] static const Kept* const kept = new Kept;
}

std::string name() { return properties().name; }

std::string uuid() {
  const auto p = properties();
  std::string text = "GPU-";
  for (int at = 0; at < 16; ++at) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(p.uuid.bytes[at]));
    text += hex;
    if (at == 3 || at == 5 || at == 7 || at == 9) text += '-';
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> describe() {
  if (!available()) return {};
  const auto p = properties();
  int driver = 0, runtime = 0;
  cuda::check(cudaDriverGetVersion(&driver));
  cuda::check(cudaRuntimeGetVersion(&runtime));
  return {{"name", p.name},
          {"uuid", uuid()},
          {"compute_capability", std::to_string(p.major) + "." + std::to_string(p.minor)},
          {"driver", version(driver)},  // newest CUDA of the driver; NVML has the driver's own version
          {"runtime", version(runtime)},
          {"multiprocessors", std::to_string(p.multiProcessorCount)},
          {"l2_bytes", std::to_string(p.l2CacheSize)},
          {"memory_bytes", std::to_string(p.totalGlobalMem)},
          {"shared_bytes_per_block", std::to_string(p.sharedMemPerBlockOptin)},
          {"memory_bus_bits", std::to_string(p.memoryBusWidth)},
          {"ecc", p.ECCEnabled ? "on" : "off"}};
}

void synchronize() { cuda::check(cudaDeviceSynchronize()); }

std::vector<double> downloads_s(std::initializer_list<std::size_t> sizes, int tries) {
  const std::size_t piece = std::min<std::size_t>(std::max(sizes), 64 << 20);  // an implementation may hold most of the memory
  const cuda::Stream stream;
  const cuda::Buffer<char> source(static_cast<std::int64_t>(piece));
  std::vector<double> all_s;
  std::vector<std::vector<char, Unwritten<char>>> copies;  // kept while small: each goes to memory that was never touched
  while (tries-- > 0) {
    const auto start = std::chrono::steady_clock::now();
    for (const std::size_t size : sizes) {
      auto& copy = copies.emplace_back(size);
      if (&size != sizes.begin()) std::ranges::fill(copy, 0);  // a new vector of centroids; labels stay unset
      for (std::size_t at = 0; at < size; at += piece) cuda::download(copy.data() + at, source.data(), std::min(piece, size - at), stream);
    }
    if (std::max(sizes) > 64 << 20) copies.clear();
    all_s.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return all_s;
}

struct Timer::Events {
  cuda::Event start, stop;
};

Timer::Timer() : events_(std::make_unique<Events>()) {}
Timer::~Timer() = default;

void Timer::start() {
  synchronize();
  events_->start.record(cudaStreamLegacy);
}

double Timer::stop() {
  synchronize();
  events_->stop.record(cudaStreamLegacy);
  return cuda::elapsed(events_->start, events_->stop);
}

}  // namespace device

int cuda::current_device() {
  int index = device::asked.value_or(0);
  if (!device::asked) check(cudaGetDevice(&index));
  return index;
}

}  // namespace km

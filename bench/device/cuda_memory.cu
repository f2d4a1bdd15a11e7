// Counted and poisoned device memory, and errors with source locations.
#include <atomic>
#include <string>

#include "bench/device/cuda.cuh"

namespace km {
namespace cuda {
namespace {

std::atomic<std::int64_t> live{0}, peak{0}, live_at_reset{0};
void (*release_caches)() = nullptr;

/// True if the error persists after it was cleared: only a new process helps.
bool sticky() {
  static_cast<void>(cudaGetLastError());
  return cudaDeviceSynchronize() != cudaSuccess;
}

std::string message(cudaError_t code, const std::source_location& where) {
  std::string_view file = where.file_name();
  for (const std::string_view folder : {"bench/", "impl/", "tests/"})
    if (const auto at = file.rfind(folder); at != file.npos) file.remove_prefix(at);  // hide the build folder
  return std::string(file) + ":" + std::to_string(where.line()) + ": " + cudaGetErrorName(code) + ": " + cudaGetErrorString(code);
}

}  // namespace

Error::Error(cudaError_t code, std::source_location where) : device::Error(message(code, where), code == cudaErrorMemoryAllocation, cuda::sticky()) {}

void* allocate(std::size_t bytes, std::source_location where) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  auto code = cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation && release_caches) {
    static_cast<void>(cudaGetLastError());
    release_caches();
    code = cudaMalloc(&memory, bytes);
  }
  check(code, where);
  const auto now = live += static_cast<std::int64_t>(bytes);
  for (auto most = peak.load(); most < now && !peak.compare_exchange_weak(most, now);) {}
  if (const auto filled = cudaMemset(memory, 0xFF, bytes); filled != cudaSuccess) {
    release(memory, bytes);
    throw Error(filled, where);
  }
  return memory;
}

void release(void* memory, std::size_t bytes) noexcept {
  if (!memory) return;
  static_cast<void>(cudaFree(memory));  // a sticky error was reported already
  live -= static_cast<std::int64_t>(bytes);
}

void set_release_caches(void (*function)()) { release_caches = function; }

}  // namespace cuda

namespace device {

std::int64_t peak_bytes() { return cuda::peak - cuda::live_at_reset; }
void reset_peak() { cuda::peak = cuda::live_at_reset = cuda::live.load(); }

}  // namespace device
}  // namespace km

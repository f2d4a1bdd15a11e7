// Behind bench/device/device.hpp and bench/device/cuda.cuh: devices, counted memory, staged copies, the transpose.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

#include "bench/device/cuda.cuh"

namespace km {
namespace cuda {
namespace {

std::atomic<std::int64_t> live{0}, peak{0}, live_at_reset{0};
void (*release_caches)() = nullptr;

/// What is still wrong after the error was cleared can only be mended by a new process.
bool sticky() {
  static_cast<void>(cudaGetLastError());
  return cudaDeviceSynchronize() != cudaSuccess;
}

std::string message(cudaError_t code, const std::source_location& where) {
  std::string_view file = where.file_name();
  for (const std::string_view room : {"bench/", "impl/", "tests/"})
    if (const auto at = file.rfind(room); at != file.npos) file.remove_prefix(at);  // where it was built is nobody's business
  return std::string(file) + ":" + std::to_string(where.line()) + ": " + cudaGetErrorName(code) + ": " + cudaGetErrorString(code);
}

}  // namespace

Error::Error(cudaError_t code, std::source_location where)
    : device::Error(message(code, where), code == cudaErrorMemoryAllocation, cuda::sticky()), code(code), where(where) {}

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
  static_cast<void>(cudaFree(memory));  // a sticky error was reported where it happened
  live -= static_cast<std::int64_t>(bytes);
}

void set_release_caches(void (*function)()) { release_caches = function; }

Phase::Phase(Trace& trace, std::string_view name, cudaStream_t stream) : trace_(trace), name_(name), stream_(stream) {
  if (!trace.active()) return;
  events_ = std::make_shared<Events>();
  events_->start.record(stream);
}

Phase::~Phase() {
  if (!events_) return;
  static_cast<void>(cudaEventRecord(events_->stop, stream_));  // if it fails, elapsed() says so
  trace_.defer(name_, [events = events_] { return elapsed(events->start, events->stop); });
}

// ---- copies: a single thread copies pageable memory at about 10 GB/s, the bus takes five times that ----------------------

namespace {

constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

/// One thread's part of a staged copy: two pinned chunks, so that one is filled while the other is on the bus.
struct Lane {
  PinnedBuffer<char> chunks{2 * std::int64_t{chunk_bytes}};
  Stream stream;
  std::array<Event, 2> done{Event(cudaEventDisableTiming), Event(cudaEventDisableTiming)};

  char* chunk(std::size_t turn) { return chunks.data() + turn % 2 * chunk_bytes; }
};

struct Range {
  std::size_t offset, bytes;
};

/// The chunks `lane`, `lane + lanes`, ... of `bytes`.
std::vector<Range> chunks_of(std::size_t bytes, std::size_t lane, std::size_t lanes) {
  std::vector<Range> ranges;
  for (std::size_t offset = lane * chunk_bytes; offset < bytes; offset += lanes * chunk_bytes)
    ranges.push_back({offset, std::min(chunk_bytes, bytes - offset)});
  return ranges;
}

void upload_part(Lane& lane, char* device, const char* host, const std::vector<Range>& ranges) {
  for (std::size_t turn = 0; turn < ranges.size(); ++turn) {
    const auto [offset, bytes] = ranges[turn];
    if (turn >= 2) lane.done[turn % 2].synchronize();
    std::memcpy(lane.chunk(turn), host + offset, bytes);
    check(cudaMemcpyAsync(device + offset, lane.chunk(turn), bytes, cudaMemcpyHostToDevice, lane.stream));
    lane.done[turn % 2].record(lane.stream);
  }
  lane.stream.synchronize();
}

void download_part(Lane& lane, char* host, const char* device, const std::vector<Range>& ranges) {
  const auto fetch = [&](std::size_t turn) {
    if (turn >= ranges.size()) return;
    const auto [offset, bytes] = ranges[turn];
    check(cudaMemcpyAsync(lane.chunk(turn), device + offset, bytes, cudaMemcpyDeviceToHost, lane.stream));
    lane.done[turn % 2].record(lane.stream);
  };
  fetch(0);
  for (std::size_t turn = 0; turn < ranges.size(); ++turn) {
    fetch(turn + 1);
    lane.done[turn % 2].synchronize();
    std::memcpy(host + ranges[turn].offset, lane.chunk(turn), ranges[turn].bytes);
  }
}

/// At least so many lanes on the current device, kept for the next copy: page-locking costs more than a copy.
std::vector<Lane>& lanes_of(int device, std::size_t wanted) {
  static thread_local int device_of_pool = -1;
  static thread_local std::vector<Lane> pool;
  if (std::exchange(device_of_pool, device) != device) pool.clear();
  while (pool.size() < wanted) pool.emplace_back();
  return pool;
}

/// copy(lane, ranges) on several threads, which share the chunks out among them.
template <class Copy>
void staged(std::size_t bytes, Copy copy) {
  int device = 0;
  check(cudaGetDevice(&device));
  const std::size_t wanted = (bytes + 2 * chunk_bytes - 1) / (2 * chunk_bytes);
  const std::size_t lanes = std::clamp<std::size_t>(wanted, 1, std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  std::vector<Lane>& pool = lanes_of(device, lanes);
  std::vector<std::exception_ptr> failures(lanes);
  const auto work = [&](std::size_t lane) {
    try {
      check(cudaSetDevice(device));
      copy(pool[lane], chunks_of(bytes, lane, lanes));
    } catch (...) {
      failures[lane] = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t lane = 1; lane < lanes; ++lane) threads.emplace_back(work, lane);
  work(0);
  threads.clear();  // joins
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

bool pageable(const void* host) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, host));
  return attributes.type == cudaMemoryTypeUnregistered;
}

bool small(std::size_t bytes) { return bytes <= chunk_bytes / 4; }  // the driver stages these well enough by itself

}  // namespace

void upload(void* device, const void* host, std::size_t bytes, cudaStream_t stream) {
  check(cudaStreamSynchronize(stream));
  if (small(bytes) || !pageable(host)) {
    check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    check(cudaStreamSynchronize(stream));
    return;
  }
  staged(bytes, [&](Lane& lane, const auto& ranges) { upload_part(lane, static_cast<char*>(device), static_cast<const char*>(host), ranges); });
}

void download(void* host, const void* device, std::size_t bytes, cudaStream_t stream) {
  check(cudaStreamSynchronize(stream));
  if (small(bytes) || !pageable(host)) {
    check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    return;
  }
  staged(bytes, [&](Lane& lane, const auto& ranges) { download_part(lane, static_cast<char*>(host), static_cast<const char*>(device), ranges); });
}

// ---- kernels --------------------------------------------------------------------------------------------------------------

namespace {

__global__ void fill_kernel(std::int32_t* values, std::int64_t size, std::int32_t value) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) values[i] = value;
}

constexpr int tile_rows = 128, tile_columns = 32;

/// A block turns 128 rows x up to 32 columns through shared memory. It reads along the rows, which for few columns is one
/// contiguous stretch, and writes along the columns.
template <class T>
__global__ void transpose_kernel(const T* __restrict__ from, std::int64_t rows, std::int64_t columns, T* __restrict__ to) {
  __shared__ T tile[tile_columns][tile_rows + 1];
  const std::int64_t row0 = std::int64_t(blockIdx.x) * tile_rows, column0 = std::int64_t(blockIdx.y) * tile_columns;
  const int height = static_cast<int>(rows - row0 < tile_rows ? rows - row0 : tile_rows);
  const int width = static_cast<int>(columns - column0 < tile_columns ? columns - column0 : tile_columns);
  for (int at = threadIdx.x; at < height * width; at += blockDim.x) {
    const int row = at / width, column = at % width;
    tile[column][row] = from[(row0 + row) * columns + column0 + column];
  }
  __syncthreads();
  for (int at = threadIdx.x; at < tile_rows * width; at += blockDim.x) {
    const int row = at % tile_rows, column = at / tile_rows;
    if (row < height) to[(column0 + column) * rows + row0 + row] = tile[column][row];
  }
}

}  // namespace

void fill(std::int32_t* values, std::int64_t size, std::int32_t value, cudaStream_t stream) {
  fill_kernel<<<blocks(size, 256), 256, 0, stream>>>(values, size, value);
  check_launch();
}

template <class T>
void transpose(const T* from, std::int64_t rows, std::int64_t columns, T* to, cudaStream_t stream) {
  transpose_kernel<<<dim3(blocks(rows, tile_rows), blocks(columns, tile_columns)), 256, 0, stream>>>(from, rows, columns, to);
  check_launch();
}
template void transpose<float>(const float*, std::int64_t, std::int64_t, float*, cudaStream_t);
template void transpose<double>(const double*, std::int64_t, std::int64_t, double*, cudaStream_t);

}  // namespace cuda

// ---- bench/device/device.hpp -----------------------------------------------------------------------------------------------------

namespace device {
namespace {

int current() {
  int index = 0;
  cuda::check(cudaGetDevice(&index));
  return index;
}

cudaDeviceProp properties() {
  cudaDeviceProp values{};
  cuda::check(cudaGetDeviceProperties(&values, current()));
  return values;
}

std::string version(int value) { return std::to_string(value / 1000) + "." + std::to_string(value % 1000 / 10); }

}  // namespace

std::string unavailable() {
  int devices = 0;
  const auto code = cudaGetDeviceCount(&devices);
  if (code == cudaSuccess && devices > 0) return "";
  static_cast<void>(cudaGetLastError());
  return code == cudaSuccess ? "no CUDA device found" : std::string("no CUDA device: ") + cudaGetErrorString(code);
}

int count() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  static_cast<void>(cudaGetLastError());
  return 0;
}

void select(int index) { cuda::check(cudaSetDevice(index)); }

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
          {"driver", version(driver)},  // the newest CUDA the driver runs; NVML knows the driver's own version
          {"runtime", version(runtime)},
          {"multiprocessors", std::to_string(p.multiProcessorCount)},
          {"l2_bytes", std::to_string(p.l2CacheSize)},
          {"memory_bytes", std::to_string(p.totalGlobalMem)},
          {"shared_bytes_per_block", std::to_string(p.sharedMemPerBlockOptin)},
          {"memory_bus_bits", std::to_string(p.memoryBusWidth)},
          {"ecc", p.ECCEnabled ? "on" : "off"}};
}

void synchronize() { cuda::check(cudaDeviceSynchronize()); }

std::int64_t live_bytes() { return cuda::live; }
std::int64_t peak_bytes() { return cuda::peak - cuda::live_at_reset; }
void reset_peak() { cuda::peak = cuda::live_at_reset = cuda::live.load(); }

struct Timer::Events {
  cuda::Event start, stop;
};

Timer::Timer() : events_(std::make_unique<Events>()) {}
Timer::~Timer() = default;
Timer::Timer(Timer&&) noexcept = default;

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
}  // namespace km

// RAII types and error checks for CUDA. Nothing is freed by hand outside this file and cuda_memory.cu. Every call and launch is checked, and the
// error names its source line.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bench/contract/trace.hpp"
#include "bench/device/device.hpp"

namespace km::cuda {

/// A device::Error with CUDA's words and the source location.
struct Error : device::Error {
  Error(cudaError_t code, std::source_location where);
};

inline void check(cudaError_t code, std::source_location where = std::source_location::current()) {
  if (code != cudaSuccess) [[unlikely]]
    throw Error(code, where);
}
/// Checks a <<<...>>> launch. Errors inside the kernel appear at the next synchronization.
inline void check_launch(std::source_location where = std::source_location::current()) { check(cudaGetLastError(), where); }

/// The selected device before take(), as in the parent process; else the thread's.
int current_device();

// ---- memory -------------------------------------------------------------------------------------------------------------

/// cudaMalloc that counts for device::peak_bytes() and fills with 0xFF bytes (NaN, -1), to expose reads of uninitialized memory. Throws Error.
void* allocate(std::size_t bytes, std::source_location where);
void release(void* memory, std::size_t bytes) noexcept;
/// Sets a function that is called once when memory runs out, before the retry: it frees the judge's cached points.
void set_release_caches(void (*function)());

/// Device memory.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t size, std::source_location where = std::source_location::current())
      : data_(static_cast<T*>(allocate(static_cast<std::size_t>(size) * sizeof(T), where))), size_(size) {}
  ~Buffer() { release(data_, bytes()); }
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

/// Page-locked host memory.
template <class T>
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::int64_t size) : size_(size) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, static_cast<std::size_t>(size) * sizeof(T)));
    data_.reset(static_cast<T*>(memory));
  }
  T* data() { return data_.get(); }
  T& operator[](std::int64_t at) { return data_.get()[at]; }
  std::int64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(T* memory) const noexcept { static_cast<void>(cudaFreeHost(memory)); }
  };
  std::unique_ptr<T, Free> data_;
  std::int64_t size_;
};

/// Page-locks memory of another owner, possibly read-only, for all devices. Throws std::runtime_error on failure.
class PageLock {
 public:
  PageLock(const void* memory, std::size_t bytes) {
    constexpr std::uintptr_t page = 4096;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory) / page * page, end = reinterpret_cast<std::uintptr_t>(memory) + bytes;
    memory_.reset(reinterpret_cast<void*>(begin));
    const auto code = cudaHostRegister(memory_.get(), (end - begin + page - 1) / page * page, cudaHostRegisterReadOnly | cudaHostRegisterPortable);
    if (code == cudaSuccess) return;
    static_cast<void>(memory_.release());
    static_cast<void>(cudaGetLastError());
    throw std::runtime_error(std::string("these pages cannot be locked: ") + cudaGetErrorString(code));
  }

 private:
  struct Unlock {
    void operator()(void* memory) const noexcept { static_cast<void>(cudaHostUnregister(memory)); }
  };
  std::unique_ptr<void, Unlock> memory_;
};

// ---- order --------------------------------------------------------------------------------------------------------------

/// A stream ordered with the legacy default stream, which poisons new memory.
class Stream {
 public:
  Stream() { check(cudaStreamCreate(&stream_)); }
  ~Stream() {
    if (stream_) static_cast<void>(cudaStreamDestroy(stream_));
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  operator cudaStream_t() const { return stream_; }
  void synchronize() const { check(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(unsigned flags = cudaEventDefault) { check(cudaEventCreateWithFlags(&event_, flags)); }
  ~Event() {
    if (event_) static_cast<void>(cudaEventDestroy(event_));
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  operator cudaEvent_t() const { return event_; }
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream)); }
  void synchronize() const { check(cudaEventSynchronize(event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Seconds between two recorded events. Waits for the second.
inline double elapsed(const Event& start, const Event& stop) {
  float milliseconds = 0;
  stop.synchronize();
  check(cudaEventElapsedTime(&milliseconds, start, stop));
  return milliseconds * 1e-3;
}

/// A CUDA graph, captured from the work that `enqueue` puts on the stream.
class Graph {
 public:
  template <class Enqueue>
  Graph(cudaStream_t stream, Enqueue&& enqueue) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
      enqueue();
    } catch (...) {
      static_cast<void>(cudaStreamEndCapture(stream, &graph));
      if (graph) static_cast<void>(cudaGraphDestroy(graph));
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph));
    const auto code = cudaGraphInstantiate(&graph_, graph, 0);
    static_cast<void>(cudaGraphDestroy(graph));
    check(code);
  }
  explicit Graph(cudaGraph_t graph) { check(cudaGraphInstantiate(&graph_, graph, 0)); }
  ~Graph() {
    if (graph_) static_cast<void>(cudaGraphExecDestroy(graph_));
  }
  Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  void launch(cudaStream_t stream) { check(cudaGraphLaunch(graph_, stream)); }
  /// Makes the first launch as fast as the others, and free of allocations.
  void upload(cudaStream_t stream) { check(cudaGraphUpload(graph_, stream)); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// Times a phase of a traced run by two events on a stream; Trace::finish() reads them. Does nothing on an inactive trace.
class [[nodiscard]] Phase {
 public:
  Phase(Trace& trace, std::string_view name, cudaStream_t stream);
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  struct Events {
    Event start, stop;
  };
  Trace& trace_;
  std::string_view name_;
  cudaStream_t stream_;
  std::shared_ptr<Events> events_;
};

// ---- data ---------------------------------------------------------------------------------------------------------------

/// Blocking copies after all work on the stream. Pageable host memory is copied through pinned buffers by several threads.
void upload(void* device, const void* host, std::size_t bytes, cudaStream_t stream);
void download(void* host, const void* device, std::size_t bytes, cudaStream_t stream);

template <class T>
void upload(Buffer<T>& to, std::span<const T> from, cudaStream_t stream) {
  upload(to.data(), from.data(), from.size_bytes(), stream);
}

void fill(std::int32_t* values, std::int64_t size, std::int32_t value, cudaStream_t stream);

/// Transposes rows x columns, row-major, to column-major. Both may exceed 32 bits. T is float or double.
template <class T>
void transpose(const T* from, std::int64_t rows, std::int64_t columns, T* to, cudaStream_t stream);

/// Number of blocks of `block` that cover `size`, at least one.
__host__ __device__ constexpr unsigned blocks(std::int64_t size, std::int64_t block) {
  return static_cast<unsigned>(size > block ? (size + block - 1) / block : 1);
}

// ---- in kernels ---------------------------------------------------------------------------------------------------------

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

/// Values that one access reads or writes.
template <class T, int Size>
struct alignas(Size * sizeof(T)) Values {
  T at[Size];
};

/// A 16-byte access.
template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T at[size];
};

/// Sums values over a warp. All lanes call it and get the sums.
template <class... Ts>
__device__ __forceinline__ void sum_over_warp(Ts&... values) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) ((values += __shfl_xor_sync(0xFFFFFFFF, values, step)), ...);
}

/// Returns a warp's greatest value. All lanes call it.
template <class T>
__device__ __forceinline__ T max_over_warp(T value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value = max(value, __shfl_xor_sync(0xFFFFFFFF, value, step));
  return value;
}

/// Adds a warp's total. All lanes call it.
__device__ __forceinline__ void add_of_warp(unsigned long long* to, unsigned mine) {
  mine = __reduce_add_sync(0xFFFFFFFF, mine);
  if (threadIdx.x % 32 == 0 && mine > 0) atomicAdd(to, mine);
}

/// Atomic maximum of non-negative values: they order as their bits.
__device__ __forceinline__ void raise(float* most, float value) { atomicMax(reinterpret_cast<int*>(most), __float_as_int(value)); }
__device__ __forceinline__ void raise(double* most, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(most), static_cast<unsigned long long>(__double_as_longlong(value)));
}

/// Adds the number of a block's threads for which it holds, in one instruction. All threads call it.
__device__ __forceinline__ void add_of_block(unsigned long long* to, bool holds) {
  const int count = __syncthreads_count(holds);
  if (threadIdx.x == 0 && count > 0) atomicAdd(to, count);
}

/// Sum of d squares of difference(j), in order of dimensions.
template <class T, class Difference>
__device__ __forceinline__ T squares(int d, Difference difference) {
  T sum = 0;
  for (int j = 0; j < d; ++j) {
    const T diff = difference(j);
    sum += diff * diff;
  }
  return sum;
}

/// The nearest of k centroids by distance(c).
template <class T, class Distance>
__device__ __forceinline__ std::int32_t nearest_of(int k, Distance distance) {
  std::int32_t best = 0;
  T best_dist = infinity<T>;
  for (int c = 0; c < k; ++c) {
    const T dist = distance(c);
    if (dist < best_dist) best_dist = dist, best = c;  // strict: the lowest index wins a tie
  }
  return best;
}

/// Distances² between P points in registers and a row in memory, summed in order of dimensions. Reads the row once, in 16-byte loads if rows are
/// multiples of 16 bytes.
template <int P, int D, class T>
__device__ __forceinline__ void distances(const T (&x)[P][D], const T* __restrict__ row, T (&dist)[P]) {
  constexpr int width = D % Pack<T>::size == 0 ? Pack<T>::size : 1;
#pragma unroll
  for (int p = 0; p < P; ++p) dist[p] = 0;
#pragma unroll
  for (int j = 0; j < D; j += width) {
    T values[width];
    if constexpr (width > 1) {
      const auto pack = *reinterpret_cast<const Pack<T>*>(row + j);
#pragma unroll
      for (int u = 0; u < width; ++u) values[u] = pack.at[u];
    } else {
      values[0] = row[j];
    }
#pragma unroll
    for (int u = 0; u < width; ++u)
#pragma unroll
      for (int p = 0; p < P; ++p) {
        const T diff = x[p][j + u] - values[u];
        dist[p] += diff * diff;
      }
  }
}

/// The same for one point.
template <int D, class T>
__device__ __forceinline__ T distance(const T (&x)[D], const T* __restrict__ row) {
  T dist[1];
  distances<1>(reinterpret_cast<const T(&)[1][D]>(x), row, dist);
  return dist[0];
}

/// Compares P points with centroid c, all in registers. Centroids come in ascending order.
template <int P, int D, int Row, class T>
__device__ __forceinline__ void keep_nearest(const T (&x)[P][D], const T (&row)[Row], int c, T (&least)[P], int (&label)[P]) {
#pragma unroll
  for (int p = 0; p < P; ++p) {
    T dist = 0;
#pragma unroll
    for (int j = 0; j < D; ++j) {
      const T diff = x[p][j] - row[j];
      dist += diff * diff;
    }
    if (dist < least[p]) least[p] = dist, label[p] = c;  // strict: the lowest index wins a tie
  }
}

}  // namespace km::cuda

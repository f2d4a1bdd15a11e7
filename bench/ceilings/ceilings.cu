// Measures the GPU's limits. A rate is the best of many short passes after the clocks have risen. Rates that cannot be measured (no memory left, no
// cuBLAS, no tensor cores) are null, with the reason on standard error.
#include "bench/ceilings/ceilings.hpp"

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/device/cuda.cuh"

namespace km {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int block = 256;
constexpr std::int64_t mebibyte = 1 << 20, gibibyte = 1 << 30;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Returns the minimum of `pass`: at least five passes, and as many as fit in a fifth of a second.
template <class Pass>
double least(Pass pass) {
  double best = cuda::infinity<double>;
  const auto start = Clock::now();
  for (int made = 0; made < 5 || seconds_since(start) < 0.2; ++made) best = std::min(best, pass());
  return best;
}

/// Returns the minimum event time of the work that `enqueue` puts on the stream, in seconds.
template <class Enqueue>
double least_event_s(const cuda::Stream& stream, Enqueue enqueue) {
  cuda::Event start, stop;
  return least([&] {
    start.record(stream);
    enqueue();
    stop.record(stream);
    return cuda::elapsed(start, stop);
  });
}

/// Returns `wanted` bytes, or what `share` of the free memory holds, in whole MiB.
std::int64_t affordable(std::int64_t wanted, int share) {
  std::size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total));
  const auto bytes = std::min(wanted, static_cast<std::int64_t>(free) / share) / mebibyte * mebibyte;
  if (bytes == 0) throw std::runtime_error("no device memory is free");
  return bytes;
}

/// Blocks of a kernel that are resident on the whole device at once.
template <class Kernel>
unsigned resident_blocks(Kernel kernel) {
  int device = 0, multiprocessors = 0, each = 0;
  cuda::check(cudaGetDevice(&device));
  cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, block, 0));
  return static_cast<unsigned>(multiprocessors * each);
}

/// Uniform in [-1, 1), from the index alone. Constant data would flatter a chip limited by power.
template <class T>
__global__ void random_kernel(T* values, std::int64_t size) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  auto bits = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15;
  bits = (bits ^ bits >> 32) * 0xD6E8FEB86659FD93;
  values[i] = T(static_cast<float>(static_cast<std::int32_t>(bits >> 32)) * 0x1p-31f);
}

template <class T>
cuda::Buffer<T> random_buffer(std::int64_t size, cudaStream_t stream) {
  cuda::Buffer<T> values(size);
  random_kernel<<<cuda::blocks(size, block), block, 0, stream>>>(values.data(), size);
  cuda::check_launch();
  return values;
}

// ---- memory -------------------------------------------------------------------------------------------------------------

/// Buffers far larger than the L2 cache, so that passes share almost nothing.
std::int64_t memory_bytes() { return affordable(4 * gibibyte, 3); }

/// A block reads tiles of loads x blockDim packs. All loads of a thread are in flight before the first use. `size` is whole tiles.
template <int loads>
__global__ void read_kernel(const uint4* __restrict__ from, std::int64_t size, unsigned* sink) {
  const std::int64_t tile = std::int64_t{loads} * blockDim.x;
  unsigned bits = 0;
  for (std::int64_t at = blockIdx.x * tile + threadIdx.x; at < size; at += gridDim.x * tile) {
    uint4 packs[loads];
#pragma unroll
    for (int load = 0; load < loads; ++load) packs[load] = from[at + load * std::int64_t{blockDim.x}];
#pragma unroll
    for (int load = 0; load < loads; ++load) bits ^= packs[load].x ^ packs[load].y ^ packs[load].z ^ packs[load].w;
  }
  if (bits == 0x9E3779B9) *sink = bits;  // keeps the loads; one thread in four billion writes
}

/// The better of one block per tile and of resident blocks that loop over tiles.
template <int loads>
double read_s(const cuda::Stream& stream, const cuda::Buffer<float>& from, unsigned* sink) {
  const auto packs = static_cast<std::int64_t>(from.bytes() / sizeof(uint4));
  double best = cuda::infinity<double>;
  for (const unsigned grid : {cuda::blocks(packs, std::int64_t{loads} * block), resident_blocks(read_kernel<loads>)})
    best = std::min(best, least_event_s(stream, [&] {
                      read_kernel<loads><<<grid, block, 0, stream>>>(reinterpret_cast<const uint4*>(from.data()), packs, sink);
                      cuda::check_launch();
                    }));
  return best;
}

/// GB/s between page-locked host memory and the device.
double host_copy_gbs(const cuda::Stream& stream, cudaMemcpyKind kind) {
  cuda::Buffer<char> on_device(affordable(gibibyte, 2));
  cuda::PinnedBuffer<char> on_host(on_device.size());
  const bool up = kind == cudaMemcpyHostToDevice;
  void* const to = up ? on_device.data() : on_host.data();
  const void* const from = up ? on_host.data() : on_device.data();
  const double seconds = least_event_s(stream, [&] { cuda::check(cudaMemcpyAsync(to, from, on_device.bytes(), kind, stream)); });
  return double(on_device.bytes()) / seconds * 1e-9;
}

double copy_gbs(const cuda::Stream& stream) {
  const auto size = memory_bytes() / std::int64_t{sizeof(float)};
  const auto from = random_buffer<float>(size, stream);
  cuda::Buffer<float> to(size);
  const double seconds =
      least_event_s(stream, [&] { cuda::check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream)); });
  return 2.0 * double(from.bytes()) / seconds * 1e-9;
}

double read_gbs(const cuda::Stream& stream) {
  const auto from = random_buffer<float>(memory_bytes() / std::int64_t{sizeof(float)}, stream);
  cuda::Buffer<unsigned> sink(1);
  const double seconds = std::min(read_s<4>(stream, from, sink.data()), read_s<8>(stream, from, sink.data()));
  return double(from.bytes()) / seconds * 1e-9;
}

double upload_gbs(const cuda::Stream& stream) { return host_copy_gbs(stream, cudaMemcpyHostToDevice); }
double download_gbs(const cuda::Stream& stream) { return host_copy_gbs(stream, cudaMemcpyDeviceToHost); }

/// GB/s from page-locked host memory to all GPUs at once, each its own part. Leaves another device selected.
double upload_to_all() {
  struct Card {
    cuda::Stream stream{};
    cuda::Buffer<char> on_device{affordable(gibibyte, 2)};
    cuda::PinnedBuffer<char> on_host{on_device.size()};
  };
  std::vector<std::unique_ptr<Card>> cards;
  double bytes = 0;
  for (int device = 0; device < device::count(); ++device) {
    cuda::check(cudaSetDevice(device));
    bytes += double(cards.emplace_back(std::make_unique<Card>())->on_device.bytes());
  }
  const double seconds = least([&] {
    const auto start = Clock::now();
    for (int device = 0; const auto& card : cards) {
      cuda::check(cudaSetDevice(device++));
      cuda::check(cudaMemcpyAsync(card->on_device.data(), card->on_host.data(), card->on_device.bytes(), cudaMemcpyHostToDevice, card->stream));
    }
    for (const auto& card : cards) card->stream.synchronize();
    return seconds_since(start);
  });
  return bytes / seconds * 1e-9;
}

/// On a thread of its own: the selected device is the thread's.
double upload_all_gbs(const cuda::Stream&) { return std::async(std::launch::async, upload_to_all).get(); }

// ---- arithmetic ---------------------------------------------------------------------------------------------------------

constexpr int chains = 8, rounds = 1 << 16;

/// Independent chains of dependent FMAs: enough to hide an FMA's latency with few warps.
template <class T>
__global__ void fma_kernel(T factor, T term, T* sink) {
  T values[chains];
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) values[chain] = T(threadIdx.x + chain) / 3;
#pragma unroll 32
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int chain = 0; chain < chains; ++chain) values[chain] = fma(values[chain], factor, term);
  T sum = 0;
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) sum += values[chain];
  if (sum == T(0.123456789)) *sink = sum;  // prevents dead-code elimination
}

template <class T>
void enqueue_fma(cudaStream_t stream, unsigned grid, T* sink) {
  fma_kernel<<<grid, block, 0, stream>>>(T(-1), T(1) / 7, sink);  // values alternate: neither convergence nor overflow
  cuda::check_launch();
}

/// An FMA counts two flops.
template <class T>
double fma_gflops(const cuda::Stream& stream) {
  cuda::Buffer<T> sink(1);
  const unsigned grid = resident_blocks(fma_kernel<T>);
  const double seconds = least_event_s(stream, [&] { enqueue_fma(stream, grid, sink.data()); });
  return 2.0 * chains * rounds * block * grid / seconds * 1e-9;
}

/// Works until the clocks have risen from idle. Returns the seconds.
double warm_up(const cuda::Stream& stream) {
  cuda::Buffer<float> sink(1);
  const unsigned grid = resident_blocks(fma_kernel<float>);
  const auto start = Clock::now();
  while (seconds_since(start) < 0.5) {
    enqueue_fma(stream, grid, sink.data());
    stream.synchronize();
  }
  return seconds_since(start);
}

// ---- tensor cores -------------------------------------------------------------------------------------------------------

/// cuBLAS, loaded at run time so that the program starts without it, and never unloaded. Throws if it is missing.
class Cublas {
 public:
  explicit Cublas(cudaStream_t stream) : gemm_(find<Gemm>("cublasGemmEx")), handle_(nullptr, find<Destroy>("cublasDestroy_v2")) {
    cublasHandle_t handle = nullptr;
    succeed(find<Create>("cublasCreate_v2")(&handle));
    handle_.reset(handle);
    succeed(find<SetStream>("cublasSetStream_v2")(handle, stream));
  }

  /// c = a b for square matrices of one type, accumulated in fp32.
  void multiply(int side, cudaDataType type, cublasComputeType_t compute, const void* a, const void* b, void* c) {
    const float one = 1, zero = 0;
    succeed(gemm_(handle_.get(), CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, a, type, side, b, type, side, &zero, c, type, side, compute,
                  CUBLAS_GEMM_DEFAULT));
  }

 private:
  using Create = cublasStatus_t (*)(cublasHandle_t*);
  using Destroy = cublasStatus_t (*)(cublasHandle_t);
  using SetStream = cublasStatus_t (*)(cublasHandle_t, cudaStream_t);
  using Gemm = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*, cudaDataType, int,
                                  const void*, cudaDataType, int, const void*, void*, cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);

  /// Searches as the loader does (LD_LIBRARY_PATH first), then the toolkit's usual folders, newest version first.
  static void* open() {
    std::vector<std::string> folders = {""};
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* root = std::getenv(name)) folders.push_back(std::string(root) + "/lib64/");
    folders.insert(folders.end(), {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"});
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
      for (const auto& folder : folders)
        if (void* library = dlopen((folder + name).c_str(), RTLD_LAZY | RTLD_LOCAL)) return library;
    return nullptr;
  }

  template <class Function>
  static Function find(const char* name) {
    static void* const library = open();
    if (!library) throw std::runtime_error("cuBLAS was not found: put its folder on LD_LIBRARY_PATH");
    void* const function = dlsym(library, name);
    if (!function) throw std::runtime_error(std::string("cuBLAS has no ") + name);
    return reinterpret_cast<Function>(function);
  }

  static void succeed(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cuBLAS failed with status " + std::to_string(status));
  }

  Gemm gemm_;
  std::unique_ptr<cublasContext, Destroy> handle_;
};

template <class T>
double tensor_gflops(const cuda::Stream& stream, cudaDataType type, cublasComputeType_t compute) {
  constexpr int side = 8192;
  int device = 0, major = 0;
  cuda::check(cudaGetDevice(&device));
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major < 8) throw std::runtime_error("TF32 and BF16 need compute capability 8.0");
  Cublas cublas(stream);
  const auto a = random_buffer<T>(side * side, stream), b = random_buffer<T>(side * side, stream);
  cuda::Buffer<T> c(side * side);
  const double seconds = least_event_s(stream, [&] { cublas.multiply(side, type, compute, a.data(), b.data(), c.data()); });
  return 2.0 * side * side * side / seconds * 1e-9;
}

double tensor_tf32_gflops(const cuda::Stream& stream) { return tensor_gflops<float>(stream, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32); }
double tensor_bf16_gflops(const cuda::Stream& stream) { return tensor_gflops<__nv_bfloat16>(stream, CUDA_R_16BF, CUBLAS_COMPUTE_32F); }

// ---- launches -----------------------------------------------------------------------------------------------------------

__global__ void empty_kernel() {}

void enqueue_empty(cudaStream_t stream, int times) {
  for (int launch = 0; launch < times; ++launch) {
    empty_kernel<<<1, 1, 0, stream>>>();
    cuda::check_launch();
  }
}

double launch_s(const cuda::Stream& stream) {
  constexpr int launches = 1000;
  return least_event_s(stream, [&] { enqueue_empty(stream, launches); }) / launches;
}

/// Wall-clock time on the host.
double launch_sync_s(const cuda::Stream& stream) {
  constexpr int launches = 100;
  return least([&] {
    const auto start = Clock::now();
    for (int launch = 0; launch < launches; ++launch) {
      enqueue_empty(stream, 1);
      stream.synchronize();
    }
    return seconds_since(start) / launches;
  });
}

/// Time per kernel of a graph that is a chain of kernels.
double graph_launch_s(const cuda::Stream& stream) {
  constexpr int kernels = 100, launches = 10;
  cuda::Graph graph(stream, [&] { enqueue_empty(stream, kernels); });
  return least_event_s(stream,
                       [&] {
                         for (int launch = 0; launch < launches; ++launch) graph.launch(stream);
                       }) /
         (kernels * launches);
}

// ---- all ----------------------------------------------------------------------------------------------------------------

using Json = nlohmann::ordered_json;

/// Returns the result of measure(stream), or null.
template <class Measure>
Json attempt(const char* name, Measure measure) {
  try {
    const cuda::Stream stream;
    return measure(stream);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ceilings: no %s: %s\n", name, error.what());
    return nullptr;
  }
}

}  // namespace

nlohmann::ordered_json gpu_ceilings() {
  if (!device::available()) return nullptr;
  attempt("warm-up", warm_up);
  Json limits = Json::object();
  const auto measure = [&](const char* name, double (*limit)(const cuda::Stream&)) { limits[name] = attempt(name, limit); };
  measure("copy_gbs", copy_gbs);
  measure("read_gbs", read_gbs);
  measure("fma_fp32_gflops", fma_gflops<float>);
  measure("fma_fp64_gflops", fma_gflops<double>);
  measure("tensor_tf32_gflops", tensor_tf32_gflops);
  measure("tensor_bf16_gflops", tensor_bf16_gflops);
  measure("upload_gbs", upload_gbs);
  if (device::count() > 1) measure("upload_all_gbs", upload_all_gbs);
  measure("download_gbs", download_gbs);
  measure("launch_s", launch_s);
  measure("launch_sync_s", launch_sync_s);
  measure("graph_launch_s", graph_launch_s);
  return limits;
}

}  // namespace km

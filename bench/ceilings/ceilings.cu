// Measures the GPU's limits. A rate is the best of many short passes after the clocks have risen. Rates that cannot be measured (no memory left, no
// cuBLAS, no tensor cores) are null, with the reason on standard error.
#include "bench/ceilings/ceilings.hpp"

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "bench/ceilings/arithmetic.cuh"
#include "bench/ceilings/memory.cuh"

namespace km {
namespace {

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

// Measures the GPU's limits. A rate is the best of many short passes after the clocks have risen. Rates that cannot be measured (no memory left, no
// cuBLAS, no tensor cores) are null, with the reason on standard error.
#include "bench/ceilings/ceilings.hpp"

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "bench/ceilings/ceilings.cuh"

namespace km {
namespace {

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

Json gpu_ceilings() {
  if (!device::available()) return nullptr;
  attempt("warm-up", ceilings::warm_up);
  Json limits = Json::object();
  const auto measure = [&](const char* name, double (*limit)(const cuda::Stream&)) { limits[name] = attempt(name, limit); };
  measure("copy_gbs", ceilings::copy_gbs);
  measure("read_gbs", ceilings::read_gbs);
  measure("fma_fp32_gflops", ceilings::fma_fp32_gflops);
  measure("fma_fp64_gflops", ceilings::fma_fp64_gflops);
  measure("tensor_tf32_gflops", ceilings::tensor_tf32_gflops);
  measure("tensor_bf16_gflops", ceilings::tensor_bf16_gflops);
  measure("upload_gbs", ceilings::upload_gbs);
  measure("download_gbs", ceilings::download_gbs);
  measure("launch_s", ceilings::launch_s);
  measure("launch_sync_s", ceilings::launch_sync_s);
  measure("graph_launch_s", ceilings::graph_launch_s);
  return limits;
}

}  // namespace km

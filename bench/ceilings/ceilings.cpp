#include "bench/ceilings/ceilings.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/base/vectors.hpp"

namespace km {
namespace {

constexpr std::int64_t elements = 1 << 25;  // 256 MiB of doubles per array: larger than most caches
constexpr int passes = 5;

template <class F>
double best_of(F f) {
  double best = 1e300;
  for (int pass = 0; pass < passes; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    f();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// GFLOP/s of independent chains of multiply and add in every lane; an fma counts two. Not every compiler vectorizes a loop over lanes.
template <class T>
double fma_gflops() {
  constexpr int lanes = vector_bytes / sizeof(T), chains = 16, rounds = 1 << 20;
  using Vector [[gnu::vector_size(vector_bytes)]] = T;
  T sink = 0;
  const double seconds = best_of([&] {
#pragma omp parallel reduction(+ : sink)
    {
      Vector chain[chains];
      for (int at = 0; at < chains; ++at) chain[at] = Vector{} + T(at);
      const Vector factor = Vector{} + T(0.999), term = Vector{} + T(1e-3) * T(omp_get_thread_num() + 1);
      for (int round = 0; round < rounds; ++round)
#pragma GCC unroll 16
        for (int at = 0; at < chains; ++at) chain[at] = chain[at] * factor + term;
      for (int at = 0; at < chains; ++at)
        for (int lane = 0; lane < lanes; ++lane) sink += chain[at][lane];
    }
  });
  volatile T used = sink;
  (void)used;
  return 2.0 * lanes * chains * rounds * omp_get_max_threads() / seconds * 1e-9;
}

}  // namespace

nlohmann::ordered_json cpu_ceilings() {
  const std::unique_ptr<double[]> from(new double[elements]), to(new double[elements]);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < elements; ++i) from[i] = to[i] = double(i);
  const double copy_s = best_of([&] {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < elements; ++i) to[i] = from[i];
  });
  double sink = 0;
  const double read_s = best_of([&] {
    using Vector [[gnu::vector_size(vector_bytes)]] = double;
    constexpr int lanes = vector_bytes / sizeof(double), chains = 8;  // an addition waits for the one before in its chain
#pragma omp parallel reduction(+ : sink)
    {
      Vector chain[chains] = {};
#pragma omp for schedule(static)
      for (std::int64_t first = 0; first < elements; first += chains * lanes)
#pragma GCC unroll 8
        for (int at = 0; at < chains; ++at) {
          Vector values;
          std::memcpy(&values, &from[first + at * lanes], sizeof values);
          chain[at] += values;
        }
      for (const Vector& sum : chain)
        for (int lane = 0; lane < lanes; ++lane) sink += sum[lane];
    }
  });
  volatile double used = sink;
  (void)used;
  return {{"threads", omp_get_max_threads()},
          {"copy_gbs", 2.0 * sizeof(double) * elements / copy_s * 1e-9},
          {"read_gbs", 1.0 * sizeof(double) * elements / read_s * 1e-9},
          {"fma_fp32_gflops", fma_gflops<float>()},
          {"fma_fp64_gflops", fma_gflops<double>()}};
}

}  // namespace km

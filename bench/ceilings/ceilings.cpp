#include "bench/ceilings/ceilings.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/base/proc.hpp"
#include "bench/base/vectors.hpp"

namespace km {
namespace {

constexpr int passes = 5;        // at least
constexpr double least_s = 0.5;  // of all passes: another process's turn ends before

template <class F>
double best_of(F f) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  double best = 1e300;
  const auto begin = Clock::now();
  for (int pass = 0; pass < passes || seconds_since(begin) < least_s; ++pass) {
    const auto start = Clock::now();
    f();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

/// Bytes of all third-level caches.
double cache_bytes() {
  std::map<std::string, double> caches;  // by the processors that share one
  for (int cpu = 0; cpu < omp_get_num_procs(); ++cpu) {
    const std::filesystem::path cache = fmt::format("/sys/devices/system/cpu/cpu{}/cache/index3", cpu);
    caches[first_line(cache / "shared_cpu_list")] = 1024 * std::strtod(first_line(cache / "size").c_str(), nullptr);  // "32768K"
  }
  double sum = 0;
  for (const auto& [sharers, bytes] : caches) sum += bytes;
  return sum;
}

/// Doubles of an array that the last caches do not hold: eight times theirs, at least 256 MiB, at most an eighth of the memory that is left.
std::int64_t elements_beyond_caches() {
  constexpr double least = 1 << 28;
  constexpr std::int64_t together = 64;
  const double most = std::max(least, double(::sysconf(_SC_AVPHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE)) / 8);
  return std::int64_t(std::clamp(8 * cache_bytes(), least, most) / sizeof(double)) / together * together;
}

/// GFLOP/s of independent chains of multiply and add in every lane; an fma counts two. Not every compiler vectorizes a loop over lanes.
template <class T>
double fma_gflops() {
  constexpr int lanes = vector_bytes / sizeof(T), chains = 12, rounds = 1 << 20;  // with two more values they fill 14 of 16 registers
  using Vector [[gnu::vector_size(vector_bytes)]] = T;
  T sink = 0;
  const double seconds = best_of([&] {
#pragma omp parallel reduction(+ : sink)
    {
      Vector chain[chains];
      for (int at = 0; at < chains; ++at) chain[at] = Vector{} + T(at);
      const Vector factor = Vector{} + T(0.999), term = Vector{} + T(1e-3) * T(omp_get_thread_num() + 1);
      for (int round = 0; round < rounds; ++round)
#pragma GCC unroll 12
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
  const std::int64_t elements = elements_beyond_caches();
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

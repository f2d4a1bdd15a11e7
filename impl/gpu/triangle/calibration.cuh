// Measures the constants of wu2011's cost model (Section IV) on this machine, once: on a set of the paper's kind and size (245,760 x 32, k = 32).
#pragma once

#include <array>
#include <random>

#include "impl/gpu/triangle/constants.hpp"
#include "impl/gpu/triangle/host_driven.cuh"

namespace km::triangle {

/// Gaussian groups (sums of four uniform values) round centroids in the unit cube, as far from each other as lets the reinforced kernel skip about half.
template <class T>
struct Sample {
  Sample() {
    static_cast<ProblemShape&>(problem) = {.n = 245'760, .d = 32, .k = 32, .max_iters = 12};
    std::minstd_rand random(2011);
    const auto uniform = [&random] { return double(random()) / double(std::minstd_rand::max()); };
    initial.resize(std::size_t(problem.k) * problem.d);
    for (T& value : initial) value = T(uniform());
    points.resize(std::size_t(problem.n) * problem.d);
    for (std::int64_t i = 0; i < problem.n; ++i) {
      const T* const centroid = &initial[random() % problem.k * problem.d];
      for (int j = 0; j < problem.d; ++j) {
        const double normal = (uniform() + uniform() + uniform() + uniform() - 2) * std::sqrt(3);
        points[i * problem.d + j] = T(double(centroid[j]) + 0.19 * normal);
      }
    }
    problem.points = points, problem.initial_centroids = initial;
  }
  std::vector<T> points, initial;
  Problem<T> problem;
};

/// The middle one of the last five iterations.
inline double settled(const Trace& trace, std::string_view phase) {
  const auto& seconds = trace.phases().find(phase)->second;
  std::array<double, 5> last;
  std::copy(seconds.end() - last.size(), seconds.end(), last.begin());
  std::ranges::sort(last);
  return last[last.size() / 2];
}

template <class T>
Constants measure_constants(Launch launch) {
  const Sample<T> sample;
  const Problem<T>& p = sample.problem;
  const double cells = double(p.n) * p.d, k = p.k;
  const auto traced = [&](Plan plan) {
    Trace none, trace(true);
    HostDriven<T> run(p, none, launch, plan, kernels<T, true, true>(p.d, p.k), Cutoff<T>(p.d));
    run.reset();
    run.iterate(trace);
    trace.finish();
    return trace;
  };
  const Trace standard = traced({}), reinforced = traced({.reinforced = true, .rearranged = true});
  return {.a = settled(reinforced, "assign") / (cells * reinforced.counters().at("mean_m").back()),
          .b = settled(reinforced, "icd_rid") / (k * k * std::log2(k)),
          .c = settled(standard, "assign") / (cells * k)};
}

/// From the file, or measured now.
template <class T>
Constants constants(Launch launch) {
  const char* const precision = sizeof(T) == 4 ? " fp32 " : " fp64 ";
  const auto file = constants_file(device::name() + precision + std::to_string(launch.grid) + "x" + std::to_string(launch.block));
  Constants found = file.empty() ? Constants{} : read_constants(file);
  if (found.usable()) return found;
  found = measure_constants<T>(launch);
  if (!file.empty()) write_constants(file, found);
  return found;
}

}  // namespace km::triangle

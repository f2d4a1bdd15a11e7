// Measures the constants of wu2011's cost model (Section IV) once on this machine, on two data sets of the paper's kind and size (245,760 x 32, k =
// 32). In one the reinforced kernel skips nearly all distances, in the other a third. Costs that do not depend on M (download of labels, launches)
// belong to neither a nor c: they are on both sides of Equation 9.
#pragma once

#include <array>
#include <random>

#include "impl/gpu/triangle/constants.hpp"
#include "impl/gpu/triangle/host_driven.cuh"

namespace km::triangle {

/// Gaussian groups (sums of four uniform values) of deviation `sigma` around centroids in the unit cube.
template <class T>
struct Sample {
  explicit Sample(double sigma) {
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
        points[i * problem.d + j] = T(double(centroid[j]) + sigma * normal);
      }
    }
    problem.points = points, problem.initial_centroids = initial;
  }
  std::vector<T> points, initial;
  Problem<T> problem;
};

/// Median of the last five iterations.
inline double settled(const Trace& trace, std::string_view phase) {
  const auto& seconds = trace.phases().find(phase)->second;
  std::array<double, 5> last;
  std::copy(seconds.end() - last.size(), seconds.end(), last.begin());
  std::ranges::sort(last);
  return last[last.size() / 2];
}

template <class T>
Constants measure_constants(Launch launch, bool may_share) {
  const Sample<T> narrow(0.16), wide(0.22);
  const auto& shape = narrow.problem;
  const double cells = double(shape.n) * shape.d, k = shape.k;
  const auto traced = [&](const Sample<T>& sample, Plan plan) {
    const Problem<T>& p = sample.problem;
    Trace none, trace(true);
    HostDriven<T> run(p, none, launch, plan, kernels<T, true, true>(p.d, p.k, may_share), Cutoff<T>(p.d));
    run.reset();
    run.iterate(trace);
    trace.finish();
    return trace;
  };
  const Plan reinforced{.reinforced = true, .rearranged = true};
  const Trace all = traced(wide, {}), few = traced(narrow, reinforced), many = traced(wide, reinforced);
  const auto mean_m = [](const Trace& trace) { return trace.counters().at("mean_m").back(); };
  const double each = (settled(many, "assign") - settled(few, "assign")) / (mean_m(many) - mean_m(few));
  const double shared = std::max(0.0, settled(few, "assign") - each * mean_m(few));
  return {.a = each / cells, .b = settled(many, "icd_rid") / (k * k * std::log2(k)), .c = (settled(all, "assign") - shared) / (cells * k)};
}

/// Reads the constants from the file, or measures them, with centroids in shared or in global memory.
template <class T>
Constants constants(Launch launch, bool may_share = true) {
  const char* const precision = sizeof(T) == 4 ? " fp32 " : " fp64 ";
  const auto file =
      constants_file(device::name() + precision + std::to_string(launch.grid) + "x" + std::to_string(launch.block) + (may_share ? "" : " global"));
  Constants found = file.empty() ? Constants{} : read_constants(file);
  if (found.usable()) return found;
  found = measure_constants<T>(launch, may_share);
  if (!file.empty()) write_constants(file, found);
  return found;
}

/// Counted once in a run, so that the mean is the value.
inline void count(Trace& trace, const Constants& constants, int iters) {
  trace.count("constant_a", constants.a * iters);
  trace.count("constant_b", constants.b * iters);
  trace.count("constant_c", constants.c * iters);
}

/// The hybrid's two tests (Figure 4): k log k here, Equation 9 in Plan::worth. Without the first, ranks count as free.
inline Plan hybrid_plan(const ProblemShape& p, const Constants& constants, bool test_ranks = true) {
  const auto [a, b, c] = constants;
  const double k_log_k = test_ranks ? p.k * std::log2(p.k) : 0, cells = double(p.n) * p.d;
  if (k_log_k > c * cells / b) return {};
  return {.reinforced = true, .rearranged = true, .worth = c / a - b * k_log_k / (a * cells)};
}

/// A run whose plan may need the constants. These come first: measuring them sets the shared memory of the same kernels.
template <class T>
class Calibrated {
 public:
  /// plan(constants). The constants are zero unless they are needed.
  template <class MakePlan>
  Calibrated(const Problem<T>& problem, Trace& trace, Launch launch, bool needed, bool may_share, MakePlan plan)
      : needed_(needed), constants_(needed ? constants<T>(launch, may_share) : Constants{}),
        run_(problem, trace, launch, plan(constants_), kernels<T, true, true>(problem.d, problem.k, may_share), Cutoff<T>(problem.d)) {}

  void reset() { run_.reset(); }
  int iterate(Trace& trace) {
    const int iters = run_.iterate(trace);
    if (needed_) count(trace, constants_, iters);
    return iters;
  }
  Solution<T> download() { return run_.download(); }

 private:
  bool needed_;
  Constants constants_;
  HostDriven<T> run_;
};

}  // namespace km::triangle

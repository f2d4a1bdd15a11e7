#include "bench/tune/calibrate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>

#include "bench/data/catalogue.hpp"
#include "bench/data/dataset.hpp"
#include "bench/tune/cost_fit.hpp"

namespace km {
namespace {

using Clock = std::chrono::steady_clock;
using Samples = std::map<CostModel::Key, std::vector<CostSample>>;

constexpr int few = 5, until_rest = 60;  // iterations
constexpr double long_run = 0.05;        // seconds of a few iterations beyond which the longer run is left out

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Problem i of a sequence that spreads evenly over the logarithms of n, d and k: Kronecker's, with powers of the root of x⁴ = x + 1.
ProblemShape shape(int i, double most_points) {
  constexpr double root = 1.2207440846057596;
  const auto at = [&](int axis, double low, double high) {
    return std::round(low * std::pow(high / low, std::fmod(0.5 + i * std::pow(root, -axis), 1.0)));
  };
  return {.n = std::int64_t(at(1, 1000, most_points)), .d = int(at(2, 1, 256)), .k = int(at(3, 2, 1000))};
}

/// The defaults; on the CPU with the parameter `threads`, for all of them and for one.
std::vector<Config> configs(const Description& description, int threads) {
  std::map<std::string, Value, std::less<>> values;
  for (const Parameter& parameter : description.parameters) values.emplace(parameter.name, parameter.fallback);
  if (description.device == Device::gpu || !values.contains("threads")) return {Config(values)};
  std::vector<Config> found;
  for (const int count : threads > 1 ? std::vector{threads, 1} : std::vector{1}) {
    values.insert_or_assign("threads", std::int64_t(count));
    found.emplace_back(values);
  }
  return found;
}

/// The least seconds of up to three runs after the first, which loads kernels and wakes threads, and the iterations made.
template <class T>
std::pair<double, int> measured(const Implementation& implementation, const Problem<T>& problem, const Config& config) {
  Trace none;
  const auto solver = implementation.prepare<T>()(problem, config, none);
  double least = std::numeric_limits<double>::max(), spent = 0;
  int iters = 0;
  for (int run = 0; run < 4 && (run < 2 || spent < 0.05); ++run) {
    solver->reset();
    const auto start = Clock::now();
    iters = solver->iterate(none);
    const double seconds = since(start);
    if (run > 0) least = std::min(least, seconds);
    spent += seconds;
  }
  return {least, iters};
}

template <class T>
void add(const Implementation& one, Problem<T> problem, int threads, Samples& samples) {
  for (const Config& config : configs(one.description, threads)) {
    if (one.description.unsupported && !one.description.unsupported(problem, config, sizeof(T)).empty()) continue;
    try {
      for (const bool rest : {false, true}) {
        problem.max_iters = rest ? until_rest : few;
        problem.tolerance = rest ? 0 : -1;
        const auto [seconds, iters] = measured(one, problem, config);
        ProblemShape made = problem;
        made.max_iters = iters;
        samples[{one.name, sizeof(T) == 4 ? "fp32" : "fp64"}].push_back({one.description.cost(made, config, sizeof(T)), seconds});
        if (seconds > long_run) break;
      }
    } catch (const std::exception&) {  // too little memory: no sample
    }
  }
}

template <class T>
void add(const char* points, const ProblemShape& shape, const CalibrationOptions& options, Samples& samples) {
  const Dataset<T> data = load_dataset<T>({.name = points, .n = shape.n, .d = shape.d, .k = shape.k});
  const std::vector<T> initial = initial_centroids(data, shape.k, "random", 1);
  for (const Implementation& one : implementations())
    if (one.description.device == options.device && one.description.cost && one.has(precision_of<T>))
      add(one, Problem<T>{shape, data.points(), initial}, options.threads, samples);
}

}  // namespace

CostModel calibrate(const CalibrationOptions& options) {
  const KeepCatalogue keep;
  const auto start = Clock::now();
  Samples samples;
  int problems = 0;
  for (int i = 1; since(start) < options.budget_s; ++i) {
    const ProblemShape next = shape(i, options.most_points);
    if (double(next.n) * next.k * next.d > options.most_work) continue;
    const char* const points = ++problems % 2 ? "blobs" : "uniform";  // bounds rule out much, or little
    add<float>(points, next, options, samples);
    add<double>(points, next, options, samples);
    if (options.progress) options.progress(problems, since(start));
  }
  return fitted(samples);
}

}  // namespace km

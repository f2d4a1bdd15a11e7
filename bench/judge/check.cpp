#include "bench/judge/check.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "bench/base/error.hpp"
#include "bench/data/values.hpp"
#include "bench/device/device.hpp"
#include "bench/judge/draws.hpp"
#include "bench/judge/replay.hpp"
#include "bench/plan/pattern.hpp"

namespace km {
namespace {

const Shape beyond_32_bits = {"n d above 2^31", 0x2100000, 64, 3, 1, -1, [](int i, int j) { return double((i * 3 + j) % 11 + (i % 3) * 100); }, {}};

template <class T>
Values<T> values(int rows, int d, const std::function<double(int, int)>& value) {
  Values<T> out = make_values<T>(std::size_t(rows) * d);
#pragma omp parallel for
  for (int row = 0; row < rows; ++row)
    for (int j = 0; j < d; ++j) out[std::size_t(row) * d + j] = T(value(row, j));
  return out;
}

/// Returns the configurations of a check: the defaults, then every value of every parameter with the others at their defaults.
std::vector<Config> configs(const Description& description) {
  std::map<std::string, Value, std::less<>> defaults;
  for (const auto& parameter : description.parameters) defaults.emplace(parameter.name, parameter.fallback);
  std::vector<Config> all = {Config(defaults)};
  for (const auto& parameter : description.parameters)
    for (const auto& value : parameter.range)
      if (value != parameter.fallback) {
        auto changed = defaults;
        changed[std::string(parameter.name)] = value;
        all.emplace_back(std::move(changed));
      }
  return all;
}

/// True if a configuration has over 8 threads per processor and the shape is not one of those checked with them: few points, or a ragged share.
/// OpenMP restarts all threads at every change of the team's size, a thousand times per check.
bool too_many_threads(const Config& config, const Shape& shape) {
  const auto threads = config.values().find("threads");
  if (threads == config.values().end() || std::get<std::int64_t>(threads->second) <= 8 * omp_get_num_procs()) return false;
  return shape.n >= 100 && shape.name != std::string_view("n not a multiple of anything");
}

std::string config_text(const Config& config) {
  std::string text;
  for (const auto& [name, value] : config.values()) text += fmt::format("/{}:{}", name, to_string(value));
  return text;
}

template <class T>
Solution<T> solve(const Implementation& implementation, Problem<T> problem, const Config& config, bool twice) {
  std::vector<T> start(problem.initial_centroids.begin(), problem.initial_centroids.end());
  const std::vector<T> given = start;
  problem.initial_centroids = start;
  Trace trace(true), untraced;
  const auto solver = implementation.prepare<T>()(problem, config, trace);
  if (twice) {  // first from another start: nothing of it may remain
    std::ranges::rotate(start, start.begin() + problem.d);
    solver->reset();
    solver->iterate(untraced);
    std::ranges::copy(given, start.begin());
  }
  solver->reset();
  const int iters = solver->iterate(trace);
  if (implementation.description.device == Device::gpu) device::synchronize();
  trace.finish();
  auto solution = solver->download();
  if (solution.iters != iters) throw std::runtime_error(fmt::format("iterate returned {} iterations, download {}", iters, solution.iters));
  return solution;
}

/// Compares iterations and inertia with the reference. fp32 may diverge at near ties: it is compared in short runs only, within 1 %.
template <class T>
std::string explain_difference(const Problem<T>& problem, const Solution<T>& solution, const Judgement& judgement, std::int64_t depth) {
  static const Implementation* reference = [] {
    for (const auto& implementation : implementations())
      if (implementation.name == "cpu/lloyd/reference") return &implementation;
    throw std::logic_error("cpu/lloyd/reference is not in this build");
  }();
  constexpr bool fp64 = std::is_same_v<T, double>;
  const auto truth = solve(*reference, problem, Config(), false);
  if (fp64 && solution.iters != truth.iters) return fmt::format("{} iterations; fp64 Lloyd's makes {}", solution.iters, truth.iters);
  if (!fp64 && problem.max_iters > 8) return "";
  const double inertia = judge(problem, truth, reference->description, Config()).inertia;
  double squares = 0;  // a centroid off by a relative `rounding` adds rounding² times this
#pragma omp parallel for reduction(+ : squares)
  for (std::size_t at = 0; at < problem.points.size(); ++at) squares += double(problem.points[at]) * double(problem.points[at]);
  const double rounding = double(std::max<std::int64_t>(depth, 1000)) * std::numeric_limits<T>::epsilon();
  if (std::abs(judgement.inertia - inertia) > (fp64 ? 1e-9 : 1e-2) * inertia + rounding * rounding * squares)
    return fmt::format("inertia {:.9g}; fp64 Lloyd's reaches {:.9g}", judgement.inertia, inertia);
  return "";
}

template <class T>
void run(const Implementation& implementation, const Shape& shape, const Config& config, CheckResult& result) try {
  const Values<T> made = values<T>(shape.n, shape.d, shape.point);
  const std::span<const T> points(made.get(), std::size_t(shape.n) * shape.d);
  protect_values(made.get(), "the points");
  const Values<T> start = values<T>(shape.k, shape.d, shape.centroid ? shape.centroid : shape.point);
  const std::span<const T> initial(start.get(), std::size_t(shape.k) * shape.d);
  Problem<T> problem;
  static_cast<ProblemShape&>(problem) = {.n = shape.n, .d = shape.d, .k = shape.k, .max_iters = shape.max_iters, .tolerance = shape.tolerance};
  problem.points = points;
  problem.initial_centroids = initial;
  if (const auto& unsupported = implementation.description.unsupported)
    if (result.skip = unsupported(problem, config, sizeof(T)); !result.skip.empty()) return;
  const auto solution = solve(implementation, problem, config, true);
  const auto judgement = judge(problem, solution, implementation.description, config);
  result.wrong = judgement.verdict;
  const auto& depth = implementation.description.summation_depth;
  const bool comparable = departure(implementation.description, config).empty() && implementation.description.distance != Distance::expansion_tf32;
  if (result.wrong.empty() && comparable) result.wrong = explain_difference(problem, solution, judgement, depth ? depth(problem, config) : problem.n);
  if (result.wrong.empty())
    result.wrong = replay(implementation, config, problem, Evidence<T>{.first = solution, .middle = true, .draws = draws_for(result.name)},
                          Judge<T>(problem, implementation.description, config))
                       .verdict;
} catch (const device::Error& error) {
  result.wrong = error.what();
  if (error.sticky) throw;
} catch (const std::exception& error) {
  result.wrong = error.what();
}

}  // namespace

const Shape& shape_named(std::string_view name) {
  const auto found = std::ranges::find(awkward_shapes(), name, &Shape::name);
  return found == awkward_shapes().end() ? beyond_32_bits : *found;
}

std::vector<Check> plan_checks(const std::string& filter, bool huge, bool defaults) {
  const Pattern pattern("--filter", filter);
  std::vector<const Shape*> shapes;
  for (const auto& shape : awkward_shapes()) shapes.push_back(&shape);
  if (huge) shapes.push_back(&beyond_32_bits);
  std::vector<Check> checks;
  for (const auto& implementation : implementations())
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      if (!implementation.has(precision)) continue;
      auto tried = configs(implementation.description);
      if (defaults) tried.resize(1);
      for (const auto& config : tried)
        for (const Shape* shape : shapes) {
          const bool fits = implementation.description.device == Device::gpu && precision == Precision::fp32 && &config == &tried.front();
          if ((shape == &beyond_32_bits && !fits) || too_many_threads(config, *shape)) continue;
          Check check{fmt::format("{}/{}/{}{}", implementation.name, precision == Precision::fp32 ? "fp32" : "fp64", shape->name,
                                  config_text(config)),
                      &implementation, precision, shape, config};
          if (pattern.matches(check.name)) checks.push_back(std::move(check));
        }
    }
  if (checks.empty()) throw UserError(fmt::format("--filter '{}' matches no check; a name is implementation/precision/shape/parameters", filter));
  return checks;
}

CheckResult run_check(const Check& check) {
  CheckResult result{check.name, "", ""};
  if (check.implementation->description.device == Device::gpu && !device::available()) result.skip = device::unavailable();
  else if (check.precision == Precision::fp32) run<float>(*check.implementation, *check.shape, check.config, result);
  else run<double>(*check.implementation, *check.shape, check.config, result);
  return result;
}

}  // namespace km

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

double group_value(int i, int j) { return 10.0 * ((i * 7 + j) % 5) + noise(i, j); }
double uniform_value(int i, int j) { return noise(i, j); }

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
  std::vector<Config> all = {defaults(description)};
  for (const auto& parameter : description.parameters)
    for (const auto& value : parameter.range)
      if (value != parameter.fallback) {
        auto changed = all.front().values();
        changed[std::string(parameter.name)] = value;
        all.emplace_back(std::move(changed));
      }
  return all;
}

/// True if a configuration has over 8 threads per processor and the shape is not checked with them. Those of few points or a ragged share are. OpenMP
/// restarts all threads at every change of the team's size, a thousand times per check.
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
Solution<T> solve(const Implementation& implementation, Problem<T> problem, const Config& config) {
  std::vector<T> start(problem.initial_centroids.begin(), problem.initial_centroids.end());
  const std::vector<T> given = start;
  problem.initial_centroids = start;
  Trace trace(true), untraced;
  const auto solver = implementation.prepare<T>()(problem, config, trace);
  std::ranges::rotate(start, start.begin() + problem.d);  // first from another start: nothing of it may remain
  solver->reset();
  solver->iterate(untraced);
  std::ranges::copy(given, start.begin());
  solver->reset();
  const int iters = solver->iterate(trace);
  if (implementation.description.device == Device::gpu) device::synchronize();
  trace.finish();
  auto solution = solver->download();
  if (solution.iters != iters) throw std::runtime_error(fmt::format("iterate returned {} iterations, download {}", iters, solution.iters));
  return solution;
}

template <class T>
void run(const Implementation& implementation, const Shape& shape, const Config& config, CheckResult& result) try {
  const Values<T> made = values<T>(shape.n, shape.d, shape.point);
  const std::span<const T> points(made.get(), std::size_t(shape.n) * shape.d);
  protect_values(made.get(), "the points");
  const Values<T> start = values<T>(shape.k, shape.d, shape.centroid ? shape.centroid : shape.point);
  const std::span<const T> initial(start.get(), std::size_t(shape.k) * shape.d);
  const ProblemShape size = {.n = shape.n, .d = shape.d, .k = shape.k, .max_iters = shape.max_iters, .tolerance = shape.tolerance};
  const Problem<T> problem{size, points, initial};
  if (const auto& unsupported = implementation.description.unsupported)
    if (result.skip = unsupported(problem, config, sizeof(T)); !result.skip.empty()) return;
  const auto solution = solve(implementation, problem, config);
  const Judge<T> judge(problem, implementation.description, config);
  result.wrong = judge(solution).verdict;
  if (result.wrong.empty())
    result.wrong = replay(implementation, config, problem, Evidence<T>{.first = solution, .middle = true, .draws = judge_draws()}, judge).verdict;
} catch (const device::Error& error) {
  result.wrong = error.what();
  if (error.sticky) throw;
} catch (const std::exception& error) {
  result.wrong = error.what();
}

}  // namespace

const std::vector<Shape>& awkward_shapes() {
  static const std::vector<Shape> shapes = {
      {"one point", 1, 3, 1, 3, -1, uniform_value, {}},
      {"one dimension", 1000, 1, 5, 6, -1, uniform_value, {}},
      {"k = 1", 777, 5, 1, 3, -1, group_value, {}},
      {"k = n", 33, 4, 33, 3, -1, uniform_value, {}},
      {"n below the block", 37, 7, 4, 5, -1, group_value, {}},
      {"n not a multiple of anything", 4099, 6, 7, 6, -1, group_value, {}},
      {"d = 2", 5000, 2, 32, 8, -1, uniform_value, {}},
      {"d = 4", 10007, 4, 4, 8, -1, group_value, {}},
      {"d = 7", 10007, 7, 4, 8, -1, group_value, {}},
      {"d = 17", 2053, 17, 9, 5, -1, group_value, {}},
      {"d = 68", 1031, 68, 16, 5, -1, group_value, {}},
      {"d = 129", 515, 129, 5, 4, -1, group_value, {}},
      {"d = 300", 129, 300, 3, 3, -1, group_value, {}},
      {"d = 4096", 67, 4096, 3, 3, -1, group_value, {}},
      {"k = 100", 3001, 8, 100, 5, -1, uniform_value, {}},
      {"k = 1000", 5003, 3, 1000, 3, -1, uniform_value, {}},
      {"k = 1500", 4001, 5, 1500, 3, -1, uniform_value, {}},
      {"empty clusters", 999, 3, 6, 5, -1, group_value, [](int c, int j) { return c % 2 ? 1e4 + c : group_value(c, j); }},
      {"duplicate points", 1200, 3, 8, 5, -1, [](int i, int j) { return double((i % 5) * 3 + j); }, {}},
      {"ties", 1024, 2, 4, 5, -1, [](int i, int j) { return double(((i >> j) & 1) * 2); },
       [](int c, int j) { return j == 0 ? double(c % 2) * 2 : 1.0; }},
      {"all points the same", 513, 4, 3, 4, -1, [](int, int) { return 2.5; }, {}},
      {"equal centroids", 600, 3, 5, 4, -1, group_value, [](int, int j) { return group_value(0, j); }},
      {"huge dynamic range", 3000, 5, 6, 5, -1, [](int i, int j) { return std::pow(10.0, (i * 5 + j) % 14 - 6) * (noise(i, j) - 0.5); }, {}},
      {"far from the origin", 2000, 4, 4, 5, -1, [](int i, int j) { return 1e4 + group_value(i, j); }, {}},
      {"negative values", 2000, 3, 5, 5, -1, [](int i, int j) { return -group_value(i, j); }, {}},
      {"converges, tolerance 0", 3000, 3, 5, 100, 0, group_value, {}},
      {"converges, tolerance 0.01", 20000, 4, 8, 100, 0.01, uniform_value, {}},
      {"one iteration", 5000, 4, 4, 1, -1, uniform_value, {}},
  };
  return shapes;
}

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

#include "bench/judge/check.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "bench/base/error.hpp"
#include "bench/data/random.hpp"
#include "bench/data/values.hpp"
#include "bench/device/device.hpp"
#include "bench/judge/draws.hpp"
#include "bench/judge/replay.hpp"
#include "bench/plan/pattern.hpp"

namespace km {
namespace {

double group_value(int i, int j) { return 10.0 * ((i * 7 + j) % 5) + noise(i, j); }
double uniform_value(int i, int j) { return noise(i, j); }
double corner_value(int i, int j) { return double(((i >> j) & 1) * 2); }
double edge_value(int c, int j) { return j == 0 ? double(c % 2) * 2 : 1.0; }
double far_if_odd(int c, int j) { return c % 2 ? 1e4 + c : group_value(c, j); }
double power_value(int i, int j) { return std::pow(10.0, (i * 5 + j) % 14 - 6) * (noise(i, j) - 0.5); }
double scaled_value(int i, int j) { return std::pow(10.0, 4 * j - 8) * noise(i, j); }
double large_value(int i, int j) { return double((i * 3 + j) % 11 + (i % 3) * 100); }

const Shape beyond_32_bits = {.name = "n d above 2^31", .n = 0x2100000, .d = 64, .k = 3, .max_iters = 1, .point = large_value};

template <class T>
Values<T> values(int rows, int d, const std::function<double(int, int)>& value) {
  Values<T> out = make_values<T>(std::size_t(rows) * d);
#pragma omp parallel for if (double(rows) * d > 1e5)
  for (int row = 0; row < rows; ++row)
    for (int j = 0; j < d; ++j) out[std::size_t(row) * d + j] = T(value(row, j));
  return out;
}

/// An odd number between the two greatest of a parameter's range, which a user may give, too.
std::optional<Value> between(const std::vector<Value>& range) {
  std::vector<std::int64_t> numbers;
  for (const Value& value : range)
    if (const auto* const number = std::get_if<std::int64_t>(&value)) numbers.push_back(*number);
  std::ranges::sort(numbers, std::greater());
  if (numbers.size() < 2) return std::nullopt;
  const std::int64_t odd = (numbers[0] + numbers[1]) / 2 | 1;
  return odd < numbers[0] ? std::optional(Value(odd)) : std::nullopt;
}

/// Returns the configurations of a check: the defaults, then every value of every parameter, and one between, with the others at their defaults.
std::vector<Config> configs(const Description& description) {
  std::vector<Config> all = {defaults(description)};
  for (const auto& parameter : description.parameters) {
    std::vector<Value> values = parameter.range;
    if (const auto value = between(values)) values.push_back(*value);
    for (const auto& value : values)
      if (value != parameter.fallback) {
        auto changed = all.front().values();
        changed[std::string(parameter.name)] = value;
        all.emplace_back(std::move(changed));
      }
  }
  return all;
}

/// True if a configuration has over 4 threads per processor and the shape is not checked with them. Those of few points or a ragged share are. OpenMP
/// restarts all threads at every change of the team's size, a thousand times per check.
bool too_many_threads(const Config& config, const Shape& shape) {
  const auto threads = config.values().find("threads");
  if (threads == config.values().end() || std::get<std::int64_t>(threads->second) <= 4 * omp_get_num_procs()) return false;
  return shape.n >= 50 && shape.name != std::string_view("n not a multiple of anything");
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
  protect_values(made.get(), "the points");
  const Values<T> start = values<T>(shape.k, shape.d, shape.centroid ? shape.centroid : shape.point);
  const ProblemShape size = {.n = shape.n, .d = shape.d, .k = shape.k, .max_iters = shape.max_iters, .tolerance = shape.tolerance};
  const Problem<T> problem{size, {made.get(), std::size_t(shape.n) * shape.d}, {start.get(), std::size_t(shape.k) * shape.d}};
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
      {.name = "one point", .n = 1, .k = 1, .max_iters = 3, .point = uniform_value},
      {.name = "one dimension", .n = 1000, .d = 1, .max_iters = 6, .point = uniform_value},
      {.name = "k = 1", .n = 777, .d = 5, .k = 1, .max_iters = 3, .point = group_value},
      {.name = "k = n", .n = 33, .k = 33, .max_iters = 3, .point = uniform_value},
      {.name = "n below the block", .n = 37, .d = 7, .k = 4, .point = group_value},
      {.name = "n not a multiple of anything", .n = 4099, .d = 6, .k = 7, .point = group_value},
      {.name = "d = 2", .n = 5000, .d = 2, .k = 32, .max_iters = 8, .point = uniform_value},
      {.name = "d = 4", .n = 10007, .d = 4, .k = 4, .max_iters = 8, .point = group_value},
      {.name = "d = 7", .n = 10007, .d = 7, .k = 4, .max_iters = 8, .point = group_value},
      {.name = "d = 17", .n = 2053, .d = 17, .k = 9, .point = group_value},
      {.name = "d = 68", .n = 1031, .d = 68, .k = 16, .point = group_value},
      {.name = "d = 129", .n = 515, .d = 129, .max_iters = 4, .point = group_value},
      {.name = "d = 300", .n = 129, .d = 300, .k = 3, .max_iters = 3, .point = group_value},
      {.name = "d = 4096", .n = 67, .d = 4096, .k = 3, .max_iters = 3, .point = group_value},
      {.name = "k = 100", .n = 3001, .d = 8, .k = 100, .point = uniform_value},
      {.name = "k = 1000", .n = 2503, .d = 3, .k = 1000, .max_iters = 3, .point = uniform_value},
      {.name = "k = 1500", .n = 2003, .d = 5, .k = 1500, .max_iters = 3, .point = uniform_value},
      {.name = "empty clusters", .n = 999, .d = 3, .k = 6, .point = group_value, .centroid = far_if_odd},
      {.name = "duplicate points", .n = 1200, .d = 3, .k = 8, .point = [](int i, int j) { return double((i % 5) * 3 + j); }},
      {.name = "ties", .n = 1024, .d = 2, .k = 4, .point = corner_value, .centroid = edge_value},
      {.name = "all points the same", .n = 513, .k = 3, .max_iters = 4, .point = [](int, int) { return 2.5; }},
      {.name = "equal centroids", .n = 600, .d = 3, .max_iters = 4, .point = group_value, .centroid = [](int, int j) { return group_value(0, j); }},
      {.name = "huge dynamic range", .n = 3000, .d = 5, .k = 6, .point = power_value},
      {.name = "columns of 1e-8 to 1e8", .n = 2000, .d = 5, .k = 6, .point = scaled_value},
      {.name = "far from the origin", .n = 2000, .k = 4, .point = [](int i, int j) { return 1e4 + group_value(i, j); }},
      {.name = "negative values", .n = 2000, .point = [](int i, int j) { return -group_value(i, j); }},
      {.name = "converges, tolerance 0", .n = 3000, .max_iters = 100, .tolerance = 0, .point = group_value},
      {.name = "converges, tolerance 0.01", .n = 9001, .k = 8, .max_iters = 100, .tolerance = 0.01, .point = uniform_value},
      {.name = "one iteration", .n = 5000, .k = 4, .max_iters = 1, .point = uniform_value},
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
          Check check{fmt::format("{}/{}/{}", implementation.name, precision == Precision::fp32 ? "fp32" : "fp64", shape->name), &implementation,
                      precision, shape, config};
          for (const auto& [name, value] : config.values()) check.name += fmt::format("/{}:{}", name, to_string(value));
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

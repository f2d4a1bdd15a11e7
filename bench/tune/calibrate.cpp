#include "bench/tune/calibrate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/base/statistics.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/data/dataset.hpp"
#include "bench/device/device.hpp"
#include "bench/machine/memory.hpp"
#include "bench/run/result.hpp"
#include "bench/run/timing.hpp"

namespace km {
namespace {

constexpr std::size_t least_runs = 8;
constexpr int sweeps = 20'000;

/// Terms over seconds, so that all samples weigh alike, in columns of norm 1.
struct Scaled {
  explicit Scaled(const std::vector<CostSample>& samples) : norms(samples.front().terms.size(), 0.0) {
    for (const auto& sample : samples) {
      rows.push_back(sample.terms);
      for (std::size_t j = 0; j < norms.size(); ++j) norms[j] += std::pow(rows.back()[j] /= sample.seconds, 2);
    }
    for (double& norm : norms) norm = std::sqrt(norm);
    for (auto& row : rows)
      for (std::size_t j = 0; j < norms.size(); ++j)
        if (norms[j] > 0) row[j] /= norms[j];
  }
  std::vector<std::vector<double>> rows;
  std::vector<double> norms;
};

/// Solves min |A x - 1|², x >= 0.
std::vector<double> non_negative(const Scaled& a) {
  const std::size_t terms = a.norms.size();
  std::vector<double> x(terms, 0.0), gradient(terms, 0.0), products(terms * terms, 0.0);
  for (const auto& row : a.rows)
    for (std::size_t j = 0; j < terms; ++j) {
      gradient[j] -= row[j];
      for (std::size_t i = 0; i < terms; ++i) products[j * terms + i] += row[i] * row[j];
    }
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t j = 0; j < terms; ++j) {
      if (a.norms[j] == 0) continue;
      const double next = std::max(0.0, x[j] - gradient[j] / products[j * terms + j]), step = next - x[j];
      for (std::size_t i = 0; step != 0 && i < terms; ++i) gradient[i] += step * products[j * terms + i];
      x[j] = next;
    }
  return x;
}

/// The parameters of a line, if all but threads are the defaults.
std::optional<Config> config_of(const Json& line, const Implementation& implementation, int all_threads) {
  std::map<std::string, Value, std::less<>> values;
  for (const Parameter& parameter : implementation.description.parameters) {
    const std::string name(parameter.name);
    Value value = value_of(line["parameters"].value(name, Json())).value_or(parameter.fallback);
    if (name != "threads" && value != parameter.fallback) return std::nullopt;
    if (name == "threads" && value == Value(std::int64_t(0))) value = std::int64_t(all_threads);
    values.emplace(name, value);
  }
  return Config(std::move(values));
}

using Clock = std::chrono::steady_clock;
using Samples = std::map<CostModel::Key, std::vector<CostSample>>;

constexpr int few = 5, until_rest = 60;  // iterations
constexpr double long_run_s = 0.01;      // of a few iterations, beyond which the longer run is left out

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
  auto values = defaults(description).values();
  if (description.device == Device::gpu || !values.contains("threads")) return {Config(values)};
  std::vector<Config> found;
  for (const int count : std::set{threads, 1}) {
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
  for (int run = 0; run < 4 && (run < 2 || spent < 0.02); ++run) {
    solver->reset();
    const auto start = Clock::now();
    iters = solver->iterate(none);
    const double seconds = seconds_since(start);
    if (run > 0) least = std::min(least, seconds);
    spent += seconds;
  }
  return {least, iters};
}

template <class T>
void add(const Implementation& one, Problem<T> problem, const CalibrationOptions& options, Clock::time_point start, Samples& samples) {
  for (const Config& config : configs(one.description, options.threads)) {
    if (seconds_since(start) > options.budget_s) return;
    if (one.description.unsupported && !one.description.unsupported(problem, config, sizeof(T)).empty()) continue;
    try {
      for (const bool rest : {false, true}) {
        problem.max_iters = rest ? until_rest : few;
        problem.tolerance = rest ? 0 : -1;
        const auto [seconds, iters] = measured(one, problem, config);
        ProblemShape made = problem;
        made.max_iters = iters;
        samples[{one.name, sizeof(T) == 4 ? "fp32" : "fp64"}].push_back({one.description.cost(made, config, sizeof(T)), seconds});
        if (seconds > long_run_s) break;
      }
    } catch (const std::bad_alloc&) {  // no sample
    } catch (const device::Error& error) {
      if (!error.out_of_memory) throw;
    }
  }
}

template <class T>
void add(const char* points, const ProblemShape& shape, const CalibrationOptions& options, Clock::time_point start, Samples& samples) {
  const Dataset<T> data = load_dataset<T>({.name = points, .n = shape.n, .d = shape.d, .k = shape.k});
  const std::vector<T> initial = initial_centroids(data, shape.k, "random", 1);
  for (const Implementation& one : implementations())
    if (one.description.device == options.device && one.description.cost && one.has(precision_of<T>))
      add(one, Problem<T>{shape, data.points(), initial}, options, start, samples);
}

}  // namespace

Rates fit_rates(const std::vector<CostSample>& samples) {
  const Scaled scaled(samples);
  Rates rates{.seconds = non_negative(scaled)};
  std::size_t used = 0;
  for (std::size_t j = 0; j < rates.seconds.size(); ++j) {
    used += rates.seconds[j] > 0;
    if (scaled.norms[j] > 0) rates.seconds[j] /= scaled.norms[j];
  }
  double squares = 0;
  for (const auto& sample : samples) {
    double predicted = 0;
    for (std::size_t j = 0; j < sample.terms.size(); ++j) predicted += sample.terms[j] * rates.seconds[j];
    squares += std::pow(std::log(sample.seconds / predicted), 2);
  }
  rates.spread = std::sqrt(squares / double(std::max<std::size_t>(samples.size(), used + 1) - used));
  return rates;
}

CostModel fitted(const std::map<CostModel::Key, std::vector<CostSample>>& samples) {
  CostModel model;
  for (const auto& [key, runs] : samples)
    if (runs.size() >= least_runs) model.rates.emplace(key, fit_rates(runs));
  return model;
}

CostModel fit_costs(const std::vector<Json>& lines, int all_threads) {
  std::map<CostModel::Key, std::vector<CostSample>> runs;
  for (const auto& [id, line] : latest(lines)) {
    if (!reason_of(line).empty() || is_disturbed(line)) continue;
    const Implementation* const found = find_implementation(line["implementation"].get<std::string>());
    if (!found || !found->description.cost) continue;
    const auto config = config_of(line, *found, all_threads);
    const int iters = line.value("iterations", Json()).is_number_integer() ? line["iterations"].get<int>() : 0;
    if (!config || iters < 1) continue;
    const std::string precision = line["precision"];
    const ProblemShape shape{.n = line["n"], .d = line["d"], .k = line["k"], .max_iters = iters};
    runs[{found->name, precision}].push_back({found->description.cost(shape, *config, precision == "fp32" ? 4 : 8), iteration_s(line) * iters});
  }
  return fitted(runs);
}

CostModel calibrate(const CalibrationOptions& options) {
  const KeepCatalogue keep;
  const auto start = Clock::now();
  Samples samples;
  int problems = 0;
  for (int i = 1; seconds_since(start) < options.budget_s; ++i) {
    const ProblemShape next = shape(i, options.most_points);
    if (double(next.n) * next.k * next.d > options.most_work) continue;
    if (2 * double(next.n) * next.d * sizeof(double) > double(memory::available_bytes())) continue;
    const char* const points = ++problems % 2 ? "blobs" : "uniform";  // bounds rule out much, or little
    add<float>(points, next, options, start, samples);
    add<double>(points, next, options, start, samples);
    if (options.progress) options.progress(problems, seconds_since(start));
  }
  return fitted(samples);
}

}  // namespace km

#include "bench/tune/cost_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/base/statistics.hpp"
#include "bench/run/result.hpp"

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
    const Json own = line["parameters"].value(name, Json());
    Value value = parameter.fallback;
    if (own.is_number_integer()) value = own.get<std::int64_t>();
    else if (own.is_string()) value = own.get<std::string>();
    if (name != "threads" && value != parameter.fallback) return std::nullopt;
    if (name == "threads" && value == Value(std::int64_t(0))) value = std::int64_t(all_threads);
    values.emplace(name, value);
  }
  return Config(std::move(values));
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
    double foretold = 0;
    for (std::size_t j = 0; j < sample.terms.size(); ++j) foretold += sample.terms[j] * rates.seconds[j];
    squares += std::pow(std::log(sample.seconds / foretold), 2);
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
    const auto& known = implementations();
    const auto found = std::ranges::find(known, line["implementation"].get<std::string>(), &Implementation::name);
    if (found == known.end() || !found->description.cost) continue;
    const auto config = config_of(line, *found, all_threads);
    const int iters = line.value("iterations", Json()).is_number_integer() ? line["iterations"].get<int>() : 0;
    if (!config || iters < 1) continue;
    const std::string precision = line["precision"];
    const ProblemShape shape{.n = line["n"], .d = line["d"], .k = line["k"], .max_iters = iters};
    runs[{found->name, precision}].push_back({found->description.cost(shape, *config, precision == "fp32" ? 4 : 8), iteration_s(line) * iters});
  }
  return fitted(runs);
}

}  // namespace km

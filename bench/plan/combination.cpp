// Checks one combination of a sweep's values against registry, data sets and machine, and makes it a case.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bench/base/ask.hpp"
#include "bench/base/error.hpp"
#include "bench/data/limits.hpp"
#include "bench/device/device.hpp"
#include "bench/plan/sweep.hpp"

namespace km {
namespace {

double real(const Combination& combination, const std::string& key, double fallback, double low, double high) {
  const auto at = combination.find(key);
  if (at == combination.end()) return fallback;
  const auto value = number_of(at->second);
  if (!value) throw UserError("{} must be a number, not '{}'", key, shown(at->second));
  const std::string name = key == "init_seed" ? "seed" : key;  // as --seed
  if (!(*value >= low && *value <= high)) throw UserError("{} must lie between {} and {}, not {}", name, low, high, *value);
  return *value;
}

std::int64_t whole(const Combination& combination, const std::string& key, double fallback, double low, double high) {
  const double value = real(combination, key, fallback, low, high);
  if (value != std::floor(value)) throw UserError("{} must be a whole number, not {}", key, value);
  return std::int64_t(value);
}

std::string word(const Combination& combination, const std::string& key, const std::string& fallback) {
  const auto at = combination.find(key);
  return at == combination.end() ? fallback : shown(at->second);
}

void check_in_range(const Parameter& parameter, const Value& value) {
  if (accepts(parameter, value)) return;
  std::vector<std::string> words;
  for (const auto& v : parameter.range) words.push_back(to_string(v));
  const bool interval = std::holds_alternative<std::int64_t>(parameter.fallback) && words.size() > 1;
  throw UserError("parameter {} = {}; accepted: {}", parameter.name, to_string(value),
                  interval ? words.front() + " to " + words.back() : fmt::format("{}", fmt::join(words, ", ")));
}

Config configure(const Implementation& implementation, const Combination& combination) {
  std::map<std::string, Value, std::less<>> values;
  for (const auto& parameter : implementation.description.parameters) {
    Value value = parameter.fallback;
    if (const auto at = combination.find("set." + std::string(parameter.name)); at != combination.end()) {
      if (const auto* number = std::get_if<double>(&at->second))
        throw UserError("parameter {} = {}: a whole number or a word", parameter.name, *number);
      if (const auto* number = std::get_if<std::int64_t>(&at->second)) value = *number;
      else value = std::get<std::string>(at->second);
      check_in_range(parameter, value);
    }
    values.emplace(parameter.name, value);
  }
  return Config(std::move(values));
}

/// Returns why the combination cannot run in this build or on this machine, whatever the points; or "".
std::string absent(const Case& c) {
  if (!c.implementation) return fmt::format("{} is not in this build of kmbench", c.implementation_name);
  if (!c.implementation->has(c.precision)) return fmt::format("{} does not support {}", c.implementation_name, c.precision_name());
  return c.on_gpu() && !device::available() ? device::unavailable() : "";
}

/// Sets n, d and the sources of points and start. Returns why they are missing, or "".
std::string look_up_points(Case& c) {
  try {
    const DatasetShape shape = dataset_shape(c.dataset);
    c.n = shape.n;
    c.d = shape.d;
    c.dataset = without_idle_k(c.dataset);
    c.dataset_source = dataset_source(c.dataset);
  } catch (const Missing& missing) {
    return missing.what();
  }
  if (c.k > c.n) throw UserError("k = {} is more than n = {} points of {}", c.k, c.n, c.dataset.name);
  check_init(c.init, c.k, c.d);
  c.init_source = init_source(c.init);
  return "";
}

}  // namespace

std::string shown(const Scalar& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

bool accepts(const Parameter& parameter, const Value& value) {
  const auto& range = parameter.range;
  if (value.index() != parameter.fallback.index()) return false;
  if (std::holds_alternative<std::int64_t>(value)) return value >= range.front() && value <= range.back();
  return range.empty() || std::ranges::find(range, value) != range.end();
}

std::string unsupported(const Case& c) {
  const auto& ask = c.implementation->description.unsupported;
  if (!ask) return "";
  const auto answer = [&]() -> std::string {
    try {
      return ask(c.shape(), c.config, c.value_bytes());
    } catch (const std::exception& error) {
      return fmt::format("asked whether it can run, it threw: {}", error.what());
    }
  };
  if (!c.implementation->name.starts_with("plugin/")) return answer();
  try {
    return answer_of_child(answer);
  } catch (const std::exception& error) {
    return fmt::format("asked whether it can run, {}", error.what());
  }
}

Case make_case(const Combination& combination, std::string name, const Implementation* implementation) {
  Case c{.implementation_name = std::move(name), .implementation = implementation};
  c.dataset.name = word(combination, "dataset", "");
  if (combination.contains("n")) c.dataset.n = whole(combination, "n", 0, 1, 1e15);
  if (combination.contains("d")) c.dataset.d = int(whole(combination, "d", 0, 1, most_dimensions));
  c.k = int(whole(combination, "k", 0, 1, 1e8));
  c.dataset.k = c.k;
  for (const auto& [key, value] : combination)
    if (key.starts_with("data.")) c.dataset.settings[key.substr(5)] = real(combination, key, 0, -1e300, 1e300);
  if (c.dataset.n) c.n = *c.dataset.n;
  if (c.dataset.d) c.d = *c.dataset.d;
  const std::string precision = word(combination, "precision", "fp32");
  if (precision != "fp32" && precision != "fp64") throw UserError("precision '{}'; accepted: fp32, fp64", precision);
  c.precision = precision == "fp32" ? Precision::fp32 : Precision::fp64;
  c.init = word(combination, "init", "random");
  c.init_seed = std::uint64_t(whole(combination, "init_seed", 1, 0, 9e15));
  if (combination.contains("tolerance")) c.tolerance = real(combination, "tolerance", 0, 0, 1);
  c.max_iters = int(whole(combination, "iterations", c.tolerance >= 0 ? 1000 : 10, 1, 1e9));
  c.repetitions = int(whole(combination, "repetitions", 5, 1, 1e6));
  c.warmup = int(whole(combination, "warmup", 1, 0, 1e6));
  if (combination.contains("judge_seed")) c.judge_seed = std::uint64_t(whole(combination, "judge_seed", 0, 0, 9e15));
  if (implementation) c.config = configure(*implementation, combination);
  const std::string missing = look_up_points(c);  // a skipped case has its shape, too
  c.skip = absent(c);
  if (c.skip.empty()) c.skip = missing;
  if (c.skip.empty()) c.skip = unsupported(c);
  return c;
}

}  // namespace km

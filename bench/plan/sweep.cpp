// A sweep's product of lists, each combination checked against registry, data sets and machine.
#include "bench/plan/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/data/catalogue.hpp"
#include "bench/data/hash.hpp"
#include "bench/data/limits.hpp"
#include "bench/device/device.hpp"
#include "bench/error.hpp"
#include "bench/home.hpp"
#include "bench/plan/pattern.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;
using Point = std::map<std::string, Scalar, std::less<>>;  // one combination

const std::set<std::string, std::less<>> axis_names = {"implementation", "dataset",   "n",          "d",         "k",           "precision",
                                                       "init",           "init_seed", "iterations", "tolerance", "repetitions", "warmup"};

std::string text(const Scalar& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

double real(const Point& point, const std::string& key, double fallback, double low, double high) {
  const auto at = point.find(key);
  if (at == point.end()) return fallback;
  double value = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&at->second)) value = double(*whole);
  else if (const auto* number = std::get_if<double>(&at->second)) value = *number;
  else throw UserError(fmt::format("{} must be a number, not '{}'", key, text(at->second)));
  if (!(value >= low && value <= high)) throw UserError(fmt::format("{} must lie between {} and {}, not {}", key, low, high, value));
  return value;
}

std::int64_t whole(const Point& point, const std::string& key, double fallback, double low, double high) {
  const double value = real(point, key, fallback, low, high);
  if (value != std::floor(value)) throw UserError(fmt::format("{} must be a whole number, not {}", key, value));
  return std::int64_t(value);
}

std::string word(const Point& point, const std::string& key, const std::string& fallback) {
  const auto at = point.find(key);
  return at == point.end() ? fallback : text(at->second);
}

bool has_file(const std::string& name) {
  std::error_code error;
  const auto in_build_or_not = [&](const char* suffix) { return fs::is_regular_file(home() / "impl" / (name + suffix), error); };
  return name.find("..") == name.npos && (in_build_or_not(".cpp") || in_build_or_not(".cu"));
}

/// The implementations an entry names: the one of that name, else, of a pattern, those that match. One that has a file but is not in this
/// build comes with a null pointer.
std::vector<std::pair<std::string, const Implementation*>> chosen(const Sweep& sweep, const std::string& entry) {
  for (const auto& implementation : implementations())
    if (implementation.name == entry) return {{entry, &implementation}};
  if (has_file(entry)) return {{entry, nullptr}};
  std::vector<std::pair<std::string, const Implementation*>> found;
  if (sweep.patterns)
    for (const Pattern pattern("--implementation", entry); const auto& implementation : implementations())
      if (pattern.matches(implementation.name)) found.emplace_back(implementation.name, &implementation);
  if (found.empty()) throw UserError(fmt::format("unknown implementation '{}': see kmbench list", entry));
  return found;
}

void check_in_range(const Parameter& parameter, const Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  const bool numeric = std::holds_alternative<std::int64_t>(parameter.fallback);
  const auto accepted = [&] {
    if (numeric && parameter.range.size() > 1) return to_string(parameter.range.front()) + " to " + to_string(parameter.range.back());
    std::vector<std::string> words;
    for (const auto& v : parameter.range) words.push_back(to_string(v));
    return fmt::format("{}", fmt::join(words, ", "));
  };
  const bool fits =
      numeric ? number && *number >= std::get<std::int64_t>(parameter.range.front()) && *number <= std::get<std::int64_t>(parameter.range.back())
              : std::ranges::find(parameter.range, value) != parameter.range.end();
  if (!fits) throw UserError(fmt::format("parameter {} = {}; accepted: {}", parameter.name, to_string(value), accepted()));
}

Config configure(const Implementation& implementation, const Point& point) {
  std::map<std::string, Value, std::less<>> values;
  for (const auto& parameter : implementation.description.parameters) {
    Value value = parameter.fallback;
    if (const auto at = point.find("set." + std::string(parameter.name)); at != point.end()) {
      if (const auto* number = std::get_if<double>(&at->second))
        throw UserError(fmt::format("parameter {} = {}: a whole number or a word", parameter.name, *number));
      if (const auto* number = std::get_if<std::int64_t>(&at->second)) value = *number;
      else value = std::get<std::string>(at->second);
      check_in_range(parameter, value);
    }
    values.emplace(parameter.name, value);
  }
  return Config(std::move(values));
}

void check_names(const Sweep& sweep) {
  for (const auto& [name, values] : sweep.axes)
    if (!axis_names.contains(name) && !name.starts_with("set.") && !name.starts_with("data."))
      throw UserError(fmt::format("unknown sweep key '{}'; accepted: {}, set.<parameter>, data.<setting>", name, fmt::join(axis_names, ", ")));
  for (const char* needed : {"implementation", "dataset", "k"})
    if (!sweep.axes.contains(needed)) throw UserError(fmt::format("a sweep needs '{}'", needed));
  for (const auto& [name, values] : sweep.axes) {
    if (!name.starts_with("set.")) continue;
    bool known = false, absent = false;
    for (const auto& entry : sweep.axes.at("implementation"))
      for (const auto& [full, implementation] : chosen(sweep, text(entry))) {
        if (!implementation) absent = true;
        else
          for (const auto& parameter : implementation->description.parameters) known |= parameter.name == name.substr(4);
      }
    if (!known && !absent) throw UserError(fmt::format("no chosen implementation has a parameter '{}': see kmbench list", name.substr(4)));
  }
}

/// Why the combination cannot run here, or empty. Throws UserError where it can run nowhere.
std::string reason_to_skip(Case& c) {
  if (!c.implementation) return fmt::format("{} is not in this build of kmbench", c.implementation_name);
  if (!c.implementation->has(c.precision))
    return fmt::format("{} does not support {}", c.implementation_name, c.precision == Precision::fp32 ? "fp32" : "fp64");
  if (c.on_gpu() && !device::available()) return device::unavailable();
  try {
    const DatasetShape shape = dataset_shape(c.dataset);
    c.n = shape.n;
    c.d = shape.d;
    c.dataset = without_idle_k(c.dataset);
    c.dataset_source = dataset_source(c.dataset);
  } catch (const Missing& missing) {
    return missing.what();
  }
  if (c.k > c.n) throw UserError(fmt::format("k = {} is more than n = {} points of {}", c.k, c.n, c.dataset.name));
  check_init(c.init, c.k, c.d);
  c.init_source = init_source(c.init);
  if (const auto& unsupported = c.implementation->description.unsupported) try {
      return unsupported(c.shape(), c.config, c.value_bytes());
    } catch (const std::exception& error) {
      return fmt::format("asked whether it can run, it threw: {}", error.what());
    }
  return "";
}

Case make_case(const Point& point, std::string name, const Implementation* implementation) {
  Case c{.implementation_name = std::move(name), .implementation = implementation};
  c.dataset.name = word(point, "dataset", "");
  if (point.contains("n")) c.dataset.n = whole(point, "n", 0, 1, 1e15);
  if (point.contains("d")) c.dataset.d = int(whole(point, "d", 0, 1, most_dimensions));
  c.k = int(whole(point, "k", 0, 1, 1e8));
  c.dataset.k = c.k;
  for (const auto& [key, value] : point)
    if (key.starts_with("data.")) c.dataset.settings[key.substr(5)] = real(point, key, 0, -1e300, 1e300);
  if (c.dataset.n) c.n = *c.dataset.n;
  if (c.dataset.d) c.d = *c.dataset.d;
  const std::string precision = word(point, "precision", "fp32");
  if (precision != "fp32" && precision != "fp64") throw UserError(fmt::format("precision '{}'; accepted: fp32, fp64", precision));
  c.precision = precision == "fp32" ? Precision::fp32 : Precision::fp64;
  c.init = word(point, "init", "random");
  c.init_seed = std::uint64_t(whole(point, "init_seed", 1, 0, 9e15));
  if (point.contains("tolerance")) c.tolerance = real(point, "tolerance", 0, 0, 1);
  c.max_iters = int(whole(point, "iterations", c.tolerance >= 0 ? 1000 : 10, 1, 1e9));
  c.repetitions = int(whole(point, "repetitions", 5, 1, 1e6));
  c.warmup = int(whole(point, "warmup", 1, 0, 1e6));
  if (implementation) c.config = configure(*implementation, point);
  c.skip = reason_to_skip(c);
  return c;
}

/// Complaints begin with the sweep's file and line.
template <class Call>
auto at_its_place(const Sweep& sweep, Call call) {
  try {
    return call();
  } catch (const UserError& error) {
    throw UserError(sweep.where.empty() ? error.what() : fmt::format("{}: {}", sweep.where, error.what()));
  }
}

}  // namespace

double case_count(const Sweep& sweep) {
  return at_its_place(sweep, [&] {
    check_names(sweep);
    double count = 0;
    for (const auto& entry : sweep.axes.at("implementation")) count += double(chosen(sweep, text(entry)).size());
    for (const auto& [name, values] : sweep.axes)
      if (name != "implementation") count *= double(values.size());
    return count;
  });
}

void check_count(double cases) {
  if (cases > most_cases) throw UserError(fmt::format("a plan of {:.15g} cases; accepted: up to {}", cases, most_cases));
}

std::vector<Case> expand(const Sweep& sweep, const std::string& exhibit, const std::string& profile) {
  const double count = case_count(sweep);
  return at_its_place(sweep, [&] {
    check_count(count);
    const KeepCatalogue keep;
    std::map<std::string, std::size_t, std::less<>> at;  // of each axis: the value at hand
    std::vector<Case> cases;
    for (bool more = true; more;) {
      Point point;
      for (const auto& [name, values] : sweep.axes) point.emplace(name, values[at[name]]);
      for (auto& [name, implementation] : chosen(sweep, text(point.at("implementation")))) {
        cases.push_back(make_case(point, name, implementation));
        cases.back().exhibit = exhibit;
        cases.back().profile = profile;
      }
      more = std::ranges::any_of(sweep.axes, [&](const auto& axis) {  // the next combination: count on, and carry
        return ++at[axis.first] < axis.second.size() || (at[axis.first] = 0, false);
      });
    }
    return cases;
  });
}

std::string sweeps_hash(const std::vector<Sweep>& sweeps) {
  std::string all;
  for (const auto& sweep : sweeps) {
    for (const auto& [name, values] : sweep.axes) {
      all += name + ":";
      for (const auto& value : values) all += " " + text(value);
      all += "\n";
    }
    all += "\n";
  }
  return hash_of(all.data(), all.size()).substr(0, 16);
}

}  // namespace km

#include "bench/plan/sweep.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <ranges>
#include <set>
#include <tuple>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/data/hash.hpp"
#include "bench/data/limits.hpp"
#include "bench/plan/pattern.hpp"
#include "bench/plan/schema.hpp"

namespace km {
namespace {

/// Returns an integer if the value is one and a double holds it exactly.
Scalar scalar_of(double number) {
  if (number == std::floor(number) && std::abs(number) < 9e15) return std::int64_t(number);
  return number;
}

namespace fs = std::filesystem;

/// Also true for set.<parameter> and data.<setting> with any name.
bool is_axis(std::string_view name) {
  return name.starts_with("set.") || name.starts_with("data.") ||
         (name != "set" && name != "data" && exhibit_schema()["$defs"]["axes"]["properties"].contains(name));
}

bool has_file(const std::string& name) {
  std::error_code error;
  const auto in_build_or_not = [&](const char* suffix) { return fs::is_regular_file(home() / "impl" / (name + suffix), error); };
  return name.find("..") == name.npos && (in_build_or_not(".cpp") || in_build_or_not(".cu"));
}

/// Returns the implementations of an entry: the one of that name, or those that match a pattern. The pointer is null if this build lacks it.
std::vector<std::pair<std::string, const Implementation*>> chosen(const Sweep& sweep, const std::string& entry) {
  if (const Implementation* const named = find_implementation(entry)) return {{entry, named}};
  if (has_file(entry)) return {{entry, nullptr}};
  std::vector<std::pair<std::string, const Implementation*>> found;
  if (sweep.patterns)
    for (const Pattern pattern("--implementation", entry); const auto& implementation : implementations())
      if (pattern.matches(implementation.name)) found.emplace_back(implementation.name, &implementation);
  if (found.empty()) {
    std::vector<std::string> names;
    for (const auto& implementation : implementations()) names.push_back(implementation.name);
    throw UserError("unknown implementation '{}': see kmbench list{}", entry, did_you_mean(entry, names));
  }
  return found;
}

void check_names(const Sweep& sweep) {
  for (const auto& [name, values] : sweep.axes)
    if (!is_axis(name))
      throw UserError("unknown sweep key '{}'; accepted: {}, set.<parameter>, data.<setting>", name,
                      fmt::join(names_of(exhibit_schema()["$defs"]["axes"]["properties"]) | std::views::filter(is_axis), ", "));
  for (const char* needed : {"implementation", "dataset", "k"})
    if (!sweep.axes.contains(needed)) throw UserError("a sweep needs '{}'", needed);
  for (const auto& [name, values] : sweep.axes) {
    if (!name.starts_with("set.")) continue;
    bool known = false, absent = false;
    for (const auto& entry : sweep.axes.at("implementation"))
      for (const auto& [full, implementation] : chosen(sweep, shown(entry))) {
        if (!implementation) absent = true;
        else
          for (const auto& parameter : implementation->description.parameters) known |= parameter.name == name.substr(4);
      }
    if (!known && !absent) throw UserError("no chosen implementation has a parameter '{}': see kmbench list", name.substr(4));
  }
}

/// Prefixes errors with the sweep's file and line.
template <class Call>
auto at_its_place(const Sweep& sweep, Call call) {
  try {
    return call();
  } catch (const UserError& error) {
    throw UserError(sweep.where.empty() ? error.what() : fmt::format("{}: {}", sweep.where, error.what()));
  }
}

}  // namespace

Scalar parse_scalar(const std::string& text) {
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  if (const auto [at, error] = std::from_chars(text.data(), end, whole); error == std::errc() && at == end) return whole;
  double number = 0;
  if (const auto [at, error] = std::from_chars(text.data(), end, number); error == std::errc() && at == end && std::isfinite(number))
    return scalar_of(number);
  return text;
}

std::optional<double> number_of(const Scalar& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::vector<Scalar> parse_range(const std::string& range) {
  const auto refuse = [&] { return UserError("'{}' is not a range; write 1e4:1e6:x10 or 64:1024:+64", range); };
  if (range.find(':') == range.npos) return {parse_scalar(range)};
  std::string first, last, kind, step;
  if (!RE2::FullMatch(range, "([^:]*):([^:]*):([x+])([^:]*)", &first, &last, &kind, &step)) throw refuse();
  const auto number = [&](const std::string& text) {
    const auto value = number_of(parse_scalar(text));
    if (!value) throw refuse();
    return *value;
  };
  const double low = number(first), high = number(last), by = number(step);
  const bool factor = kind == "x";
  if (!(low <= high) || !(factor ? by > 1 && low > 0 : by > 0)) throw refuse();
  std::vector<Scalar> values;
  const double end = high + 1e-12 * std::max(std::abs(low), std::abs(high));
  for (std::size_t at = 0;; ++at) {
    const double value = factor ? low * std::pow(by, double(at)) : low + double(at) * by;
    if (!(value <= end)) break;
    if (at == 10'000) throw UserError("'{}' holds more than 10000 values", range);
    values.push_back(scalar_of(value));
  }
  return values;
}

double case_count(const Sweep& sweep) {
  return at_its_place(sweep, [&] {
    check_names(sweep);
    double count = 0;
    for (const auto& entry : sweep.axes.at("implementation")) count += double(chosen(sweep, shown(entry)).size());
    for (const auto& [name, values] : sweep.axes)
      if (name != "implementation") count *= double(values.size());
    return count;
  });
}

void check_count(double cases) {
  if (cases > most_cases) throw UserError("a plan of {:.15g} cases; accepted: up to {}", cases, most_cases);
}

std::vector<Case> expand(const Sweep& sweep, const std::string& exhibit, const std::string& profile) {
  const double count = case_count(sweep);
  return at_its_place(sweep, [&] {
    check_count(count);
    const KeepCatalogue keep;
    std::map<std::string, std::size_t, std::less<>> at;  // current index per axis
    std::vector<Case> cases;
    for (bool more = true; more;) {
      Combination combination;
      for (const auto& [name, values] : sweep.axes) combination.emplace(name, values[at[name]]);
      for (auto& [name, implementation] : chosen(sweep, shown(combination.at("implementation")))) {
        cases.push_back(make_case(combination, name, implementation));
        cases.back().exhibit = exhibit;
        cases.back().profile = profile;
      }
      more = std::ranges::any_of(sweep.axes, [&](const auto& axis) {  // next combination: increment and carry
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
      for (const auto& value : values) all += " " + shown(value);
      all += "\n";
    }
    all += "\n";
  }
  return hash_of(all.data(), all.size()).substr(0, 16);
}

std::vector<Case> shuffled(std::vector<Case> cases, std::uint64_t seed) {
  std::set<std::string> seen;
  std::erase_if(cases, [&](const Case& c) { return !seen.insert(c.id()).second; });
  std::vector<std::pair<std::string, std::size_t>> names;  // independent of the order of flags
  for (std::size_t i = 0; i < cases.size(); ++i) names.emplace_back(cases[i].name(), i);
  std::ranges::sort(names);
  std::mt19937_64 random(seed);
  std::map<std::pair<DatasetRequest, Precision>, std::uint64_t> ranks;
  for (const auto& [name, i] : names) {
    const auto [rank, fresh] = ranks.try_emplace({cases[i].dataset, cases[i].precision}, 0);
    if (fresh) rank->second = random();
  }
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::size_t>> order;  // rank of the data set, rank of the case, index
  for (const auto& [name, i] : names) order.emplace_back(ranks.at({cases[i].dataset, cases[i].precision}), random(), i);
  std::ranges::sort(order);
  std::vector<Case> out;
  for (const auto& [rank, own, i] : order) {
    out.push_back(std::move(cases[i]));
    out.back().order = std::int64_t(out.size()) - 1;
  }
  return out;
}

}  // namespace km

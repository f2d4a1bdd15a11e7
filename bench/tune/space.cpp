#include "bench/tune/space.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "bench/base/error.hpp"
#include "bench/plan/sweep.hpp"

namespace km {
namespace {

/// Leaves out values that come to the same as the default or an earlier one, and notes them in `merged`.
std::vector<Value> distinct(const std::vector<Value>& values, const Parameter& parameter, const Case& base, std::vector<std::string>& merged) {
  if (!parameter.effective) return values;
  const auto effective = [&](const Value& value) { return parameter.effective(std::get<std::int64_t>(value), base.shape(), base.value_bytes()); };
  std::vector<Value> kept;
  for (const auto& value : values) {
    const auto same = [&](const Value& other) { return effective(other) == effective(value); };
    const auto before = std::ranges::find_if(kept, same);
    const bool as_default = value != parameter.fallback && same(parameter.fallback);
    if (!as_default && before == kept.end()) {
      kept.push_back(value);
    } else {
      const std::string other = to_string(as_default ? parameter.fallback : *before);
      merged.push_back(fmt::format("{0}={1} as {0}={2}", parameter.name, to_string(value), other));
    }
  }
  return kept;
}

}  // namespace

TuningSpace::TuningSpace(Case base, const std::map<std::string, std::vector<Value>>& tried) : base_(std::move(base)) {
  for (const auto& parameter : base_.implementation->description.parameters) {
    const std::string name(parameter.name);
    const auto asked = tried.find(name);
    std::vector<Value> values = asked != tried.end() ? asked->second : parameter.tunable ? parameter.range : std::vector<Value>{};
    if (values.size() > 1 && std::ranges::find(values, parameter.fallback) == values.end())
      values.insert(std::ranges::upper_bound(values, parameter.fallback), parameter.fallback);
    if (values.size() > 1) values = distinct(values, parameter, base_, merged_);
    if (values.size() < 2) continue;
    const auto start = std::size_t(std::ranges::find(values, parameter.fallback) - values.begin());
    axes_.push_back({name, std::move(values), start});
  }
  if (axes_.empty())
    throw UserError("{}: no tunable parameter with several values is left to choose{}; see kmbench list", base_.implementation_name,
                    merged_.empty() ? "" : fmt::format(" ({} on this machine)", fmt::join(merged_, ", ")));
}

TuningPoint TuningSpace::start() const {
  TuningPoint point;
  for (const auto& axis : axes_) point.push_back(axis.start);
  return point;
}

double TuningSpace::size() const {
  double points = 1;
  for (const auto& axis : axes_) points *= double(axis.values.size());
  return points;
}

Case TuningSpace::at(const TuningPoint& point) const {
  Case c = base_;
  auto values = base_.config.values();
  for (std::size_t a = 0; a < axes_.size(); ++a) values.insert_or_assign(axes_[a].name, axes_[a].values[point[a]]);
  c.config = Config(std::move(values));
  c.skip = unsupported(c);
  return c;
}

bool TuningSpace::holds(const Case& c) const {
  TuningPoint point;
  for (const auto& axis : axes_) {
    const auto value = c.config.values().find(axis.name);
    if (value == c.config.values().end()) return false;
    const auto place = std::ranges::find(axis.values, value->second);
    if (place == axis.values.end()) return false;
    point.push_back(std::size_t(place - axis.values.begin()));
  }
  return at(point).id() == c.id();
}

std::vector<std::string> TuningSpace::names() const {
  std::vector<std::string> all;
  for (const auto& axis : axes_) all.push_back(axis.name);
  return all;
}

}  // namespace km

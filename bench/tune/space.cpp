#include "bench/tune/space.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <set>

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

constexpr int most_draws = 10'000;  // in a row without a new point that can run
constexpr int bracket = 27, eta = 3;
constexpr int patience = 2;  // steps in a row without improvement

/// Draws new points at random, each once, until nearly all have been drawn.
class Draw {
 public:
  Draw(const TuningSpace& space, std::uint64_t seed) : space_(space), random_(seed) { drawn_.insert(space.start()); }

  std::optional<TuningPoint> operator()() {
    for (int tries = 0; tries < most_draws && double(drawn_.size()) < space_.size(); ++tries) {
      TuningPoint point;
      for (const auto& axis : space_.axes()) point.push_back(random_() % axis.values.size());
      if (drawn_.insert(point).second && space_.at(point).skip.empty()) return point;
    }
    return std::nullopt;
  }

 private:
  const TuningSpace& space_;
  std::mt19937_64 random_;
  std::set<TuningPoint> drawn_;
};

void exhaustive(const TuningSpace& space, int repetitions, const Evaluate& evaluate) {
  TuningPoint point(space.axes().size(), 0);
  for (bool more = true; more;) {
    evaluate(point, repetitions);
    more = false;
    for (std::size_t a = point.size(); a-- > 0 && !more;) {  // increment from the last axis, and carry
      more = ++point[a] < space.axes()[a].values.size();
      if (!more) point[a] = 0;
    }
  }
}

void halving(Draw draw, int repetitions, const Evaluate& evaluate) {
  for (;;) {
    std::vector<TuningPoint> points;
    while (int(points.size()) < bracket)
      if (auto point = draw()) points.push_back(std::move(*point));
      else break;
    if (points.empty()) return;
    for (int runs = repetitions; !points.empty(); runs *= eta) {
      std::vector<std::pair<double, TuningPoint>> times;
      for (const auto& point : points)
        if (const auto time = evaluate(point, runs)) times.emplace_back(*time, point);
      if (points.size() == 1) break;
      std::ranges::sort(times);
      times.resize(std::min(times.size(), std::max<std::size_t>(1, points.size() / eta)));
      points.clear();
      for (auto& [time, point] : times) points.push_back(std::move(point));
    }
  }
}

/// Walks from `point` along one axis, up and down, while the time improves. Words have no order, so all are tried.
void walk(const TuningSpace& space, std::size_t a, int repetitions, const Evaluate& evaluate, TuningPoint& point, double& best) {
  const auto& values = space.axes()[a].values;
  const bool ordered = std::holds_alternative<std::int64_t>(values.front());
  const auto from = std::ptrdiff_t(point[a]);
  for (const int step : {1, -1}) {
    int worse = 0;
    for (auto at = from + step; at >= 0 && at < std::ptrdiff_t(values.size()) && (worse < patience || !ordered); at += step) {
      TuningPoint next = point;
      next[a] = std::size_t(at);
      const auto time = evaluate(next, repetitions);
      if (time && *time < best) {
        best = *time;
        point = next;
        worse = 0;
      } else {
        ++worse;
      }
    }
    if (ordered && std::ptrdiff_t(point[a]) != from) return;  // upwards was better: do not try downwards
  }
}

/// Sorts the axes by the improvement of one step from `point`.
std::vector<std::size_t> promising(const TuningSpace& space, int repetitions, const Evaluate& evaluate, const TuningPoint& point) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t a = 0; a < space.axes().size(); ++a) {
    TuningPoint next = point;
    next[a] = point[a] + 1 < space.axes()[a].values.size() ? point[a] + 1 : point[a] - 1;
    order.emplace_back(evaluate(next, repetitions).value_or(std::numeric_limits<double>::infinity()), a);
  }
  std::ranges::sort(order);
  std::vector<std::size_t> axes;
  for (const auto& [time, a] : order) axes.push_back(a);
  return axes;
}

void descent(const TuningSpace& space, Draw draw, int repetitions, const Evaluate& evaluate) {
  for (std::optional<TuningPoint> start = space.start(); start; start = draw()) {
    TuningPoint point = *start;
    double best = evaluate(point, repetitions).value_or(std::numeric_limits<double>::infinity());
    for (double before = std::numeric_limits<double>::infinity(); best < before;) {
      before = best;
      for (const auto a : promising(space, repetitions, evaluate, point)) walk(space, a, repetitions, evaluate, point, best);
    }
  }
}

}  // namespace

TuningSpace::TuningSpace(Case base, const std::map<std::string, std::vector<Value>>& tried) : base_(std::move(base)) {
  for (const auto& parameter : base_.implementation->description.parameters) {
    const std::string name(parameter.name);
    const auto asked = tried.find(name);
    std::vector<Value> values = asked != tried.end() ? asked->second : parameter.tunable ? parameter.range : std::vector<Value>{};
    if (std::holds_alternative<std::int64_t>(parameter.fallback)) {  // so that neighbours in the list are neighbours in value
      std::ranges::sort(values);
      values.erase(std::ranges::unique(values).begin(), values.end());
    }
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

const std::vector<std::string>& tuning_strategies() {
  static const std::vector<std::string> names = {"exhaustive", "random", "halving", "descent"};
  return names;
}

void search(const std::string& strategy, const TuningSpace& space, std::uint64_t seed, int repetitions, const Evaluate& evaluate) {
  evaluate(space.start(), repetitions);
  if (strategy == "exhaustive") return exhaustive(space, repetitions, evaluate);
  Draw draw(space, seed);
  if (strategy == "halving") return halving(std::move(draw), repetitions, evaluate);
  if (strategy == "descent") return descent(space, std::move(draw), repetitions, evaluate);
  while (const auto point = draw()) evaluate(*point, repetitions);
}

}  // namespace km

#include "bench/tune/strategy.hpp"

#include <algorithm>
#include <random>
#include <set>

namespace km {
namespace {

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

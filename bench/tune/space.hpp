// Search space of a tuning, all combinations of values of an implementation's tunable parameters, and the strategies that search it. A strategy sees
// only times. Answers are cached, so an interrupted search repeats its path.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan/case.hpp"

namespace km {

/// A parameter and its values in search order, numbers ascending; `start` is the index of the default.
struct TuningAxis {
  std::string name;
  std::vector<Value> values;
  std::size_t start = 0;
};

/// Index of the value on each axis.
using TuningPoint = std::vector<std::size_t>;

class TuningSpace {
 public:
  /// base: the problem and every parameter's value, whether it can run or not. tried: checked values by parameter; a tunable parameter without an
  /// entry uses its range. A single value is fixed; several always include the default. Of values that come to the same here (Parameter::effective),
  /// the default or else the first stays. Throws UserError if nothing is left to choose.
  TuningSpace(Case base, const std::map<std::string, std::vector<Value>>& tried);

  const std::vector<TuningAxis>& axes() const { return axes_; }
  TuningPoint start() const;
  /// Number of points, including those that cannot run.
  double size() const;
  /// Returns the case of a point. Its skip says why it cannot run.
  Case at(const TuningPoint& point) const;
  /// True if the case is one of the points, by its id. Used to find recorded lines.
  bool holds(const Case& c) const;
  std::vector<std::string> names() const;
  /// The values left out because they come to another one here: "threads=16 as threads=0".
  const std::vector<std::string>& merged() const { return merged_; }

 private:
  Case base_;
  std::vector<TuningAxis> axes_;
  std::vector<std::string> merged_;
};

/// Returns seconds per iteration at a point, from `repetitions` timed runs; nothing if it cannot run or is wrong.
using Evaluate = std::function<std::optional<double>(const TuningPoint& point, int repetitions)>;

/// Thrown by an Evaluate without time left.
struct SearchOver {};

/// exhaustive, random, halving, descent.
const std::vector<std::string>& tuning_strategies();

/// Evaluates points, the defaults first, until the strategy ends. Throws what evaluate throws.
///   exhaustive  every point, in order
///   random      random points
///   halving     27 random points; the best third with three times the runs, and so on; then 27 others (Jamieson and Talwalkar 2016)
///   descent     from the defaults along one parameter after the other, most promising first, while the time improves; then again from random points
void search(const std::string& strategy, const TuningSpace& space, std::uint64_t seed, int repetitions, const Evaluate& evaluate);

}  // namespace km

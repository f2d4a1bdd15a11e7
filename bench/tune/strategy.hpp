// Search strategies of a tuning. A strategy sees only times and may ask for a point again. Answers are cached, so an interrupted search repeats its
// path.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bench/tune/space.hpp"

namespace km {

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

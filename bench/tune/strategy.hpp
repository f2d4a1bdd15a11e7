// In which order the points of a tuning are tried. A strategy sees times alone; what it asked once it may ask again, for answers are kept, so
// that a search that was cut short comes to the same place by the same way.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bench/tune/space.hpp"

namespace km {

/// Seconds an iteration at this point, from so many timed runs; nothing where it cannot run or is wrong.
using Evaluate = std::function<std::optional<double>(const TuningPoint& point, int repetitions)>;

/// Thrown by an Evaluate that has no time left.
struct SearchOver {};

/// The names of the strategies: exhaustive, random, halving, descent.
const std::vector<std::string>& tuning_strategies();

/// Ask for points, the defaults first, until there is none left to ask for. Throws what evaluate throws.
///   exhaustive  every point, in order
///   random      points drawn at random
///   halving     of 27 points drawn the best third with three times the runs, and so on, then 27 others (Jamieson and Talwalkar 2016)
///   descent     from the defaults along one parameter after the other, the most promising first, for as long as it gets better, and over
///               again; then from points drawn at random
void search(const std::string& strategy, const TuningSpace& space, std::uint64_t seed, int repetitions, const Evaluate& evaluate);

}  // namespace km

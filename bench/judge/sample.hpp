// The points of a replay's sample: some of the problem's, and witnesses that tell which arithmetic labels them.
#pragma once

#include <random>
#include <vector>

#include "bench/judge/judge.hpp"

namespace km {

/// Returns evenly spread points of all ranks and the witnesses. A witness lies off the middle of two initial centroids by a few times the resolution
/// of the precision and form.
template <class T>
std::vector<T> sample_with_witnesses(const Problem<T>& p, Distance form, std::mt19937_64& draws);

}  // namespace km

// What ties a result to its start, its number of iterations and its stop: a judge of one output sees one good iteration, and ten reported
// after one would pass. New instances of the implementation are run for other numbers of iterations, and each must go on where the one
// before it ended:
//   - at full size, one iteration from the start, iters - 1 iterations, and with a tolerance iters - 2;
//   - on a sample of the points, 1, 2, ... iterations, each judged. To the sample come witnesses: points so near the bisector of two
//     initial centroids that the declared precision and form can just tell, and a coarser one cannot.
#pragma once

#include <string>

#include "bench/judge/judge.hpp"

namespace km {

struct Replay {
  std::string verdict;          // "" when every link holds, else one sentence
  std::string skipped;          // why nothing was replayed, or ""
  int links = 0;                // pairs of runs that had to fit together
  std::int64_t sampled = 0;     // points of the sample, witnesses included
};

/// Replay the run that made `solution` from `problem`'s start. repeatable: its repetitions agreed bit by bit, so the links must agree
/// within 1e-4 of the points' standard deviation, root mean square over all centroid values; else within 1e-2, or as far as runs differ.
template <class T>
Replay replay(const Implementation& implementation, const Config& config, const Problem<T>& problem, const Solution<T>& solution,
              const Judge<T>& judge, bool repeatable);

}  // namespace km

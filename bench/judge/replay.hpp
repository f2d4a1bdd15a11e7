// What ties a result to its start, its number of iterations and its stop: a judge of one output sees one good iteration, and ten reported
// after one would pass. New instances of the implementation are run for other numbers of iterations, and each must go on where the one
// before it ended:
//   - at full size, one iteration from the start, iters - 1 iterations, with a tolerance iters - 2 (unless the means that the run of iters - 1
//     began its last iteration with prove that this one changed a label), and where asked for three and four;
//   - on a sample of the points, 1, 2, ... iterations, up to 12 or for large k d three and two numbers drawn late, each judged. To the sample come witnesses: points so near the bisector of two
//     initial centroids that the declared precision and form can just tell, and a coarser one cannot.
#pragma once

#include <string>

#include "bench/judge/judge.hpp"

namespace km {

struct Replay {
  std::string verdict;       // "" when every link holds, else one sentence
  std::string skipped;       // why nothing was replayed, or ""
  int links = 0;             // pairs of runs that had to fit together
  std::int64_t sampled = 0;  // points of the sample, witnesses included
};

/// What the runs of a case left to be held against further ones.
template <class T>
struct Evidence {
  /// A run whose answer was not the first one's bit by bit.
  struct Other {
    std::vector<T> start;     // its initial centroids
    std::vector<T> assigned;  // the centroids its last assign used
    int rotation;             // its centroid c is centroid (c + rotation) % k of the start as given
  };
  Solution<T> first;  // from problem's start
  std::vector<Other> others;
  int runs = 1;           // how many were compared
  bool middle = false;    // whether an iteration in the middle is worth its time at full size
  bool slow_run = false;  // whether a run takes longer than a look at its output: where that tells enough, there is one run less
};

/// Replay the run that made `first` from `problem`'s start. Where further runs ended where the first did the links must agree
/// within 1e-4 of the points' standard deviation, root mean square over all centroid values; else within 1e-2, or as far as runs differ.
template <class T>
Replay replay(const Implementation& implementation, const Config& config, const Problem<T>& problem, const Evidence<T>& evidence,
              const Judge<T>& judge);

}  // namespace km

// Ties a result to its start, its number of iterations and its stop. The judge alone would accept one good iteration reported as ten.
// New instances run for other numbers of iterations, and each run must continue where the shorter one ended: docs/method.md#replay.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bench/judge/judge.hpp"

namespace km {

struct Replay {
  std::string verdict;       // "" if every link holds, else one sentence
  std::string skipped;       // why nothing was replayed at full size, or ""
  std::string refused;       // a sentence if the implementation does not support one of the runs, or ""
  int links = 0;             // pairs of runs compared
  std::int64_t sampled = 0;  // points of the sample, with witnesses
};

/// Rotates centroids (rows of d): centroid c becomes centroid (c + rotation) % k of those given.
template <class T>
std::vector<T> rotated(std::vector<T> centroids, int rotation, int d) {
  std::ranges::rotate(centroids, centroids.begin() + std::ptrdiff_t(rotation) * d);
  return centroids;
}

/// Outputs of a case's runs, to compare with new runs.
template <class T>
struct Evidence {
  /// A run whose answer is not bit-identical to the first one.
  struct Other {
    std::vector<T> start;     // its initial centroids
    std::vector<T> assigned;  // the centroids of its last assign
    int rotation;             // its centroid c is centroid (c + rotation) % k of the given start
  };
  Solution<T> first;  // from the problem's start
  std::vector<Other> others;
  bool sample = true;       // also replay a sample
  bool middle = false;      // also replay a middle iteration at full size; of small problems the judge makes all iterations itself
  std::mt19937_64 draws{};  // the random choices (bench/judge/draws.hpp)
};

/// Replays the run that made `first` from `problem`'s start.
template <class T>
Replay replay(const Implementation& implementation, const Config& config, const Problem<T>& problem, const Evidence<T>& evidence,
              const Judge<T>& judge);

}  // namespace km

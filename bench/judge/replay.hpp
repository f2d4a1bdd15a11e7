// Ties a result to its start, its number of iterations and its stop. The judge alone would accept one good iteration reported as ten.
// New instances run for other numbers of iterations, and each run must continue where the shorter one ended: docs/method.md#replay.
#pragma once

#include <algorithm>
#include <random>
#include <utility>

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

/// A run, and the bounds of the rounding of its means (k x d), computed on demand.
template <class T>
struct Ended {
  Solution<T> run = {};
  std::vector<double> bounds = {};
};

/// Where right runs ended, from which start and after how many iterations. Another case of the same points that passes there needs no replay.
template <class T>
class KnownEnds {
 public:
  struct End {
    std::vector<T> start;
    double tolerance;  // the stop rule under which a run ends one iteration later
    int max_iters;
    Ended<T> ended;  // without labels
  };

  /// Calls f for each end after `iters` iterations from `start` until it returns true.
  template <class F>
  bool any(std::span<const T> start, int iters, F f) {
    return std::ranges::any_of(ends_, [&](End& end) { return end.ended.run.iters == iters && std::ranges::equal(end.start, start) && f(end); });
  }
  void add(End end) {
    if (ends_.size() == most) ends_.erase(ends_.begin());
    end.ended.run.labels = {};
    ends_.push_back(std::move(end));
  }

 private:
  static constexpr std::size_t most = 32;
  std::vector<End> ends_;
};

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
  bool sample = true;             // also replay a sample
  bool middle = false;            // also replay a middle iteration at full size; of small problems the judge makes all iterations itself
  std::mt19937_64 draws{};        // the random choices (bench/judge/draws.hpp)
  KnownEnds<T>* known = nullptr;  // of these points; a right replay adds its own
};

/// Replays the run that made `first` from `problem`'s start.
template <class T>
Replay replay(const Implementation& implementation, const Config& config, const Problem<T>& problem, const Evidence<T>& evidence,
              const Judge<T>& judge);

/// Returns evenly spread points of all ranks, and witnesses, which tell the arithmetic that labels them: a witness lies off the middle of two initial
/// centroids by a few times the resolution of the precision and form.
template <class T>
std::vector<T> sample_with_witnesses(const Problem<T>& p, Distance form, std::mt19937_64& draws);

}  // namespace km

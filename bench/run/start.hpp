// The initial centroids of a case's runs: another start for each run, in read-only memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/contract/implementation.hpp"
#include "bench/data/values.hpp"
#include "bench/judge/replay.hpp"

namespace km {

/// Each timed run of a case has other values, so that no answer can be remembered. Where no value may move, starts repeat after k runs.
template <class T>
class Start {
 public:
  Start(std::vector<T> values, int d) : given_(std::move(values)), d_(d), values_(make_values<T>(given_.size())) { as_given(); }

  std::span<const T> view() const { return {values_.get(), given_.size()}; }

  void as_given() { set(given_, 0); }
  /// Takes other centroids, as many as are given.
  void take(std::vector<T> values) { set(std::move(values), 0); }
  /// Rotates the centroids by `rotation`. Moves one value by an ulp, by two after all values had a turn, and so on (none if `turn` is 0).
  void rotate(int rotation, std::size_t turn = 0) {
    auto values = rotated(given_, rotation, d_);
    if (turn > 0) {
      T& value = values[turn % values.size()];
      const T towards = value > 0 ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();  // chosen once, else 0 comes back
      for (std::size_t ulps = 0; ulps <= (turn - 1) / values.size(); ++ulps) value = std::nextafter(value, towards);
    }
    set(std::move(values), rotation);
  }
  int rotation() const { return rotation_; }
  const std::vector<T>& values() const { return now_; }
  /// True if nobody wrote to them.
  bool intact() const { return std::ranges::equal(now_, view()); }

 private:
  void set(std::vector<T> values, int rotation) {
    rotation_ = rotation;
    now_ = std::move(values);
    unprotect_values(values_.get());
    std::ranges::copy(now_, values_.get());
    protect_values(values_.get(), "the initial centroids");
  }

  std::vector<T> given_, now_;
  int d_, rotation_ = 0;
  Values<T> values_;
};

/// True if `later`, whose centroid c is centroid (c + rotation) % k of `given`, is bit-identical to it.
/// After one iteration assigned_centroids are the start itself and are not compared.
template <class T>
bool same_answer(const Solution<T>& given, const Solution<T>& later, int rotation, const ProblemShape& p) {
  if (given.iters != later.iters || given.labels.size() != later.labels.size() || rotated(given.centroids, rotation, p.d) != later.centroids ||
      (given.iters > 1 && rotated(given.assigned_centroids, rotation, p.d) != later.assigned_centroids))
    return false;
  bool same = true;
#pragma omp parallel for reduction(&& : same) if (p.n > 1 << 20)
  for (std::int64_t i = 0; i < p.n; ++i) {
    const std::int32_t label = later.labels[std::size_t(i)], moved = label < p.k - rotation ? label + rotation : label - (p.k - rotation);
    same = same && label >= 0 && label < p.k && given.labels[std::size_t(i)] == moved;
  }
  return same;
}

}  // namespace km

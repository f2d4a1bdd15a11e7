// Initial centroids of each run. No two timed runs of a case have the same, so that no answer can be remembered.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "bench/contract/problem.hpp"
#include "bench/data/values.hpp"

namespace km {

/// The initial centroids, in read-only memory whose values change from run to run.
template <class T>
class Start {
 public:
  Start(std::vector<T> values, int d) : given_(std::move(values)), d_(d), values_(make_values<T>(given_.size())) { as_given(); }

  std::span<const T> view() const { return {values_.get(), given_.size()}; }

  void as_given() { set(given_, 0); }
  /// Takes other centroids, as many as are given.
  void take(std::vector<T> values) { set(std::move(values), 0); }
  /// Rotates the centroids by `rotation` and nudges one value by one ulp (none if `turn` is 0). Same work, different start.
  void rotate(int rotation, std::size_t turn = 0) {
    auto values = given_;
    std::ranges::rotate(values, values.begin() + std::ptrdiff_t(rotation) * d_);
    if (turn > 0) {
      T& value = values[turn % values.size()];
      value = std::nextafter(value, value > 0 ? T(0) : T(1));
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
  if (given.iters != later.iters || given.labels.size() != later.labels.size()) return false;
  for (std::size_t i = 0; i < given.labels.size(); ++i)
    if (given.labels[i] != (later.labels[i] + rotation) % p.k) return false;
  const auto rotated = [&](std::vector<T> values) {
    std::ranges::rotate(values, values.begin() + std::ptrdiff_t(rotation) * p.d);
    return values;
  };
  return rotated(given.centroids) == later.centroids && (given.iters == 1 || rotated(given.assigned_centroids) == later.assigned_centroids);
}

}  // namespace km

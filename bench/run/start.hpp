// The start of a run: no two timed runs of a case have the same one, so that no answer can be remembered.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "bench/data/values.hpp"
#include "bench/problem.hpp"

namespace km {

/// The initial centroids as an implementation sees them: read-only, and from run to run with other values.
template <class T>
class Start {
 public:
  Start(std::vector<T> values, int d) : given_(std::move(values)), d_(d), values_(make_values<T>(given_.size())) { as_given(); }

  std::span<const T> view() const { return {values_.get(), given_.size()}; }

  void as_given() { set(given_, 0); }
  /// Centroid c + rotation in the place of centroid c, and one value, another each turn, moved to the next number of its precision (turn 0:
  /// none): no other work, and yet another start.
  void rotate(int rotation, std::size_t turn = 0) {
    auto values = given_;
    std::ranges::rotate(values, values.begin() + std::ptrdiff_t(rotation) * d_);
    if (turn > 0) {
      T& value = values[turn % values.size()];
      value = std::nextafter(value, value > 0 ? T(0) : T(1));
    }
    set(values, rotation);
  }
  int rotation() const { return rotation_; }
  std::vector<T> values() const { return {values_.get(), values_.get() + given_.size()}; }

 private:
  void set(const std::vector<T>& values, int rotation) {
    rotation_ = rotation;
    unprotect_values(values_.get());
    std::ranges::copy(values, values_.get());
    protect_values(values_.get(), "the initial centroids");
  }

  std::vector<T> given_;
  int d_, rotation_ = 0;
  Values<T> values_;
};

/// Whether `turned`, whose centroid c is centroid (c + rotation) % k of the other, is the same answer bit by bit. What the last assign used
/// is left out after one iteration: it is the start itself.
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

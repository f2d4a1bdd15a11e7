// Labels held against the centroids that assign used: fp64 for all of them, exactly where fp64 cannot tell.
#pragma once

#include <cstdint>
#include <span>

#include "bench/implementation.hpp"

namespace km {

/// What a look at every judged label found. Distances are distance², in fp64.
struct LabelCheck {
  std::int64_t judged = 0;
  double least = 0;               // sum of the least distances²
  double excess = 0;              // sum of (distance² to the label - least)
  std::int64_t wrong = 0;         // not the nearest centroid
  std::int64_t tied = 0;          // an exact tie given to a higher index
  std::int64_t out_of_bound = 0;  // of the wrong ones, further away than rounding explains
  std::int64_t broken_ties = 0;   // of the ties, those that no rounding hides
  std::int64_t first_bad = -1;    // the lowest point of the last two kinds, and its nearest centroid
  double first_bad_dist = 0, first_best_dist = 0;
  int first_best = -1;
  bool first_is_tie = false;

  /// What one point adds. bad: it cannot be explained.
  void add(const LabelCheck& other);
};

/// Look at point i in full: its nearest centroid is decided exactly (lowest index among exact ties).
template <class T>
LabelCheck check_label(const Problem<T>& p, std::int64_t i, std::int32_t label, std::span<const T> centroids, Distance form);

/// All labels, or a seeded sample where n k d is above label_budget, on the host.
template <class T>
LabelCheck check_labels_on_host(const Problem<T>& p, std::span<const std::int32_t> labels, std::span<const T> centroids, Distance form);

/// Whether two distances² as fp64 evaluates them may be in the wrong order: their difference within the bound of its rounding.
constexpr double fp64_doubt(int d) { return 4.0 * (d + 4.0) * 0x1p-53; }

/// The share of rounding: |error of dist| <= rounding_factor(d) u magnitude, u the unit roundoff of the precision; magnitude is the sum of
/// the two distances² (Distance::difference) or 2|x|² + |c|² + |c'|² (an expansion).
constexpr double rounding_factor(int d) { return 4.0 * (d + 4.0); }

/// What cut factors add to it, as a share of the magnitude: TF32 leaves each off by at most 2^-10, so that 2xc is off by 2^-9 (|x|² + |c|²).
constexpr double cut_factors(Distance form) { return form == Distance::expansion_tf32 ? 0x1p-9 : 0; }

}  // namespace km

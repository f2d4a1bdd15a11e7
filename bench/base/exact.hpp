// Exact arithmetic: sums, and which of two centroids is nearer. Bounds of rounding.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace km {

/// Sum of some values and of their absolute values. sum + remainder is exact to about 2^-100, in files without fast-math.
struct ExactSum {
  double sum = 0, remainder = 0, of_abs = 0;

  /// Adds a value without rounding (Knuth's TwoSum).
  void add(double value) {
    add_exactly(value);
    of_abs += std::abs(value);
  }
  /// Adds the sums of other values.
  void add(const ExactSum& other) {
    add_exactly(other.sum);
    remainder += other.remainder;
    of_abs += other.of_abs;
  }
  double mean(std::int64_t count) const { return sum / double(count) + remainder / double(count); }

 private:
  void add_exactly(double value) {
    const double total = sum + value, of_value = total - sum;
    remainder += (sum - (total - of_value)) + (value - of_value);
    sum = total;
  }
};

template <class T>
constexpr double unit_roundoff = std::numeric_limits<T>::epsilon() / 2;

/// |error of dist| <= rounding_factor(d) unit_roundoff magnitude. magnitude: the sum of both distances², for an expansion 2|x|² + |c|² + |c'|².
constexpr double rounding_factor(int d) { return 4.0 * (d + 4.0); }

/// Two fp64 distances² may be in the wrong order if they differ by at most this share of their sum.
constexpr double fp64_doubt(int d) { return rounding_factor(d) * unit_roundoff<double>; }

/// Returns the sign of |x - a|² - |x - b|² for d values each: -1 (a is nearer), 0 (exact tie), 1. Exact if no value is below 2^-480 of the largest.
/// Uses an expansion if rounding matters (Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates", 1997).
template <class T>
int compare_distances(const T* x, const T* a, const T* b, int d);

/// True if T evaluates both distances² exactly in any order and form, as for small multiples of one power of two.
template <class T>
bool distances_are_exact(const T* x, const T* a, const T* b, int d);

}  // namespace km

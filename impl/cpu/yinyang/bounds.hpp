// Bounds of distances that no rounding can break, whatever the points' offset: a centroid is left out only where it is further away, exactly.
//
// Let u be the unit roundoff of T and e = 1.01 (d + 4) u. A sum of (x - c)² in T, in any order, with or without fused multiply-adds, is within a
// share e of the distance² between x and c as they are stored (Higham, 3.1: two factors 1 + u from the difference, one from the square, d - 1 from
// the additions), but for what underflow takes, at most `tiny`. Nothing cancels: both are exact inputs, so an offset costs nothing. Square roots and
// all that follows are in fp64 and then in fp32, each result moved outward by more than its own rounding.
//
// A bound is stored with the movement of its centroids since the run began added to it (lower) or taken from it (upper), and holds from then on
// unwritten: lower(now) = stored - total(now), upper(now) = stored + total(now). Totals only grow, and each addition to one is rounded up, so that
// total(now) - total(then) is at least what the centroids have moved.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace km {
namespace {

constexpr float most = std::numeric_limits<float>::max();

/// The value in fp32, never below it. |v| 2^-23 is twice what rounding to fp32 takes, 2^-126 what underflow does.
inline float rounded_up(double v) {
  const double above = v + (std::abs(v) * 0x1p-23 + 0x1p-126);
  return above < -most ? -most : above <= most ? float(above) : std::numeric_limits<float>::infinity();
}
/// The value in fp32, never above it.
inline float rounded_down(double v) {
  if (v > most) return most;
  const double below = v - (std::abs(v) * 0x1p-23 + 0x1p-126);
  return below >= -most ? float(below) : -std::numeric_limits<float>::infinity();
}

/// Of a difference in fp32: a - b is at least fl(fl(a - b) * sure), where that is not negative.
constexpr float sure = 1 - 0x1p-22f;

/// Surely a - b > c + d, which (1 + v)² (1 - 4 v) <= 1 - v, v = 2^-24, makes of the comparison in fp32.
inline bool surely_further(float a, float b, float c, float d) { return (a - b) * sure > c + d; }

/// Distances from distances² in T.
template <class T>
class Radius {
 public:
  /// widening: of what is proven; less than all of it is wrong (tests/yinyang_test.cpp).
  explicit Radius(int d, double widening = 1)
      : error_(widening * 1.01 * (d + 4) * std::numeric_limits<T>::epsilon() / 2), tiny_(2.0 * d * std::numeric_limits<T>::min()) {}

  double upper(T dist) const { return std::sqrt(double(dist) * (1 + 2 * error_) + tiny_) * (1 + 0x1p-50); }
  double lower(T dist) const { return std::sqrt(std::max(0.0, double(dist) * (1 - 2 * error_) - tiny_)) * (1 - 0x1p-50); }
  /// The greatest distance² in T that may belong to one as small as this one's, exactly.
  double as_near(T dist) const { return double(dist) * (1 + 3 * error_) + 2 * tiny_; }

 private:
  double error_, tiny_;
};

inline float stored_lower(double lower, double total) { return rounded_down((std::max(0.0, lower) + total) * (1 - 0x1p-52)); }
inline float stored_upper(double upper, double total) { return rounded_up(upper - total + (upper + total) * 0x1p-52); }

/// How far things have moved since the run began, at most; `above` is the same in fp32, not less.
class Movement {
 public:
  explicit Movement(int count = 0) : total_(count), above_(count) {}
  void add(int at, double moved) {
    if (moved <= 0) return;
    total_[at] = (total_[at] + moved) * (1 + 0x1p-52);
    above_[at] = rounded_up(total_[at]);
  }
  double total(int at) const { return total_[at]; }
  const std::vector<float>& above() const { return above_; }

 private:
  std::vector<double> total_;
  std::vector<float> above_;
};

}  // namespace
}  // namespace km

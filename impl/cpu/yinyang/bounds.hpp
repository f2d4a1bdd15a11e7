// Bounds of distances that hold despite rounding, at any offset of the points. A skipped centroid is further away, exactly.
//
// Let u be the unit roundoff of T and e = 1.01 (d + 4) u. A sum of (x - c)² in T, in any order, with or without FMA, is within a share e of the
// exact distance², and `tiny` for underflow. The difference gives two factors 1 + u, the square one, the additions d - 1 (Higham, 3.1). Both inputs
// are exact as stored, so nothing cancels and an offset costs nothing. Square roots and later steps are in fp64 and then fp32; each result is moved outward by more than its own rounding. The factors below are 1 ± 2 e and 1 + 3 e where 1 ± e and 1 + 2 e would
// do. Two thirds of the widening are thus always enough (tests/yinyang_test.cpp needs a tenth); of the movement all is needed.
//
// A stored lower bound includes the movement of its centroids since the start of the run; a stored upper bound excludes it. Bounds then hold without
// being rewritten: lower(now) = stored - total(now), upper(now) = stored + total(now). Totals only grow, and each addition is rounded up, so that
// total(now) - total(then) is at least the centroids' movement.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "impl/cpu/yinyang/groups.hpp"

namespace km {
namespace {

constexpr float most = std::numeric_limits<float>::max();

/// The value in fp32, rounded up. |v| 2^-23 is twice the rounding to fp32; 2^-126 covers underflow.
inline float rounded_up(double v) {
  const double above = v + (std::abs(v) * 0x1p-23 + 0x1p-126);
  return above < -most ? -most : above <= most ? float(above) : std::numeric_limits<float>::infinity();
}
/// The value in fp32, rounded down.
inline float rounded_down(double v) {
  if (v > most) return most;
  const double below = v - (std::abs(v) * 0x1p-23 + 0x1p-126);
  return below >= -most ? float(below) : -std::numeric_limits<float>::infinity();
}

/// For differences in fp32: a - b is at least fl(fl(a - b) * sure), if that is not negative.
constexpr float sure = 1 - 0x1p-22f;

/// True only if a - b > c + d. The fp32 comparison implies it, as (1 + v)² (1 - 4 v) <= 1 - v for v = 2^-24.
inline bool surely_further(float a, float b, float c, float d) { return (a - b) * sure > c + d; }

/// Bounds of distances from distances² in T.
template <class T>
class Radius {
 public:
  /// widening: scales the proven widening; below 1 labels may be wrong (tests/yinyang_test.cpp).
  explicit Radius(int d, double widening = 1)
      : error_(widening * 1.01 * (d + 4) * std::numeric_limits<T>::epsilon() / 2), tiny_(2.0 * d * std::numeric_limits<T>::min()) {}

  double upper(T dist) const { return std::sqrt(double(dist) * (1 + 2 * error_) + tiny_) * (1 + 0x1p-50); }
  double lower(T dist) const { return std::sqrt(std::max(0.0, double(dist) * (1 - 2 * error_) - tiny_)) * (1 - 0x1p-50); }
  /// The greatest distance² in T whose exact value may be as small as this one's.
  double as_near(T dist) const { return double(dist) * (1 + 3 * error_) + 2 * tiny_; }

 private:
  double error_, tiny_;
};

inline float stored_lower(double lower, double total) { return rounded_down((std::max(0.0, lower) + total) * (1 - 0x1p-52)); }
inline float stored_upper(double upper, double total) { return rounded_up(upper - total + (upper + total) * 0x1p-52); }

/// Upper bound of the movement since the start of the run; `above` is the same in fp32, rounded up.
class Movement {
 public:
  explicit Movement(int count = 0) : total_(count), above_(count) {}
  void add(int at, double moved) {
    if (moved == 0) return;
    total_[at] = (total_[at] + moved) * (1 + 0x1p-52);
    above_[at] = rounded_up(total_[at]);
  }
  double total(int at) const { return total_[at]; }
  const std::vector<float>& above() const { return above_; }

 private:
  std::vector<double> total_;
  std::vector<float> above_;
};

/// A point has an upper bound of the distance to its centroid, and a lower bound per group of the other centroids. One for all groups is at
/// most the least of theirs. Bounds are written only when recomputed; movement is added when they are read.
class PointBounds {
  static constexpr int width = lanes<float>;

 public:
  void begin(std::int64_t n, int k, int groups) {
    stride_ = groups == 1 ? 1 : (groups + width - 1) / width * width;
    upper_.resize(n);
    lower_.resize(n);
    group_lower_.assign(n * stride_, most);
    of_centroid_ = Movement(k), of_group_ = Movement(stride_), of_all_ = Movement(1);
  }

  /// Adds the movement of centroids, each in its group.
  template <class GroupOf>
  void move(const std::vector<double>& moved, GroupOf group_of) {
    std::vector<double> by_group(stride_);
    double all = 0;
    for (int c = 0; c < int(moved.size()); ++c) {
      of_centroid_.add(c, moved[c]);
      by_group[group_of(c)] = std::max(by_group[group_of(c)], moved[c]);
      all = std::max(all, moved[c]);
    }
    for (int g = 0; g < stride_; ++g) of_group_.add(g, by_group[g]);
    of_all_.add(0, all);
  }

  /// Sets is_open for points first .. first + length - 1 if another centroid may be nearer by the bound for all groups.
  void open(std::int64_t first, int length, const std::int32_t* labels, bool* is_open) const {
    const float *const moved = of_centroid_.above().data(), all = of_all_.above()[0];
    const float *const upper = &upper_[first], *const lower = &lower_[first];
    for (int p = 0; p < length; ++p) is_open[p] = !surely_further(lower[p], all, upper[p], moved[labels[p]]);
  }

  float upper(std::int64_t i, int label) const { return upper_[i] + of_centroid_.above()[label]; }
  void keep_upper(std::int64_t i, int label, double bound) { upper_[i] = stored_upper(bound, of_centroid_.total(label)); }

  /// Minimum over all groups.
  float least(std::int64_t i) const {
    const float *const lower = &group_lower_[i * stride_], *const moved = of_group_.above().data();
    if (stride_ == 1) return (lower[0] - moved[0]) * sure;
    using V = Lanes<float>;
    V least = load(lower) - load(moved);
    for (int g = width; g < stride_; g += width) {
      const V next = load(lower + g) - load(moved + g);
      least = next < least ? next : least;
    }
    return least_lane<width>(least) * sure;
  }
  void keep_least(std::int64_t i, float bound) { lower_[i] = stored_lower(bound, of_all_.total(0)); }

  bool group_is_open(std::int64_t i, int g, float upper) const {
    return !surely_further(group_lower_[i * stride_ + g], of_group_.above()[g], upper, 0);
  }
  void keep_group(std::int64_t i, int g, double bound) { group_lower_[i * stride_ + g] = stored_lower(bound, of_group_.total(g)); }
  void lower_group(std::int64_t i, int g, double bound) {
    float& lower = group_lower_[i * stride_ + g];
    lower = std::min(lower, stored_lower(bound, of_group_.total(g)));
  }
  /// A group's bound when its movement was `above`.
  float group_when(std::int64_t i, int g, float above) const { return (group_lower_[i * stride_ + g] - above) * sure; }
  const std::vector<float>& group_movement() const { return of_group_.above(); }

 private:
  static Lanes<float> load(const float* at) {
    Lanes<float> v;
    std::memcpy(&v, at, sizeof v);
    return v;
  }

  int stride_ = 1;
  strips::Buffer<float> upper_, lower_, group_lower_;  // n, n, n x stride
  Movement of_centroid_, of_group_, of_all_;
};

}  // namespace
}  // namespace km

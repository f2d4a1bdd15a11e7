// Bounds of each point: an upper bound of the distance to its centroid, a lower bound per group of the other centroids, and one for all groups, at
// most the least of theirs. Bounds are written only when recomputed; movement is added when they are read.
#pragma once

#include <cstring>

#include "impl/cpu/yinyang/bounds.hpp"
#include "impl/cpu/yinyang/groups.hpp"

namespace km {
namespace {

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

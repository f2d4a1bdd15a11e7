// The two least distances² over vectors, and the index of the least; the lowest index wins a tie.
#pragma once

#include <limits>
#include <utility>

#include "impl/cpu/yinyang/groups.hpp"

namespace km {
namespace {

template <int by, class V, int... l>
[[gnu::always_inline]] inline V exchanged(V v, std::integer_sequence<int, l...>) {
  return __builtin_shufflevector(v, v, (l ^ by)...);
}
/// Minimum over a vector's `width` lanes.
template <int width, int by = width / 2, class V>
[[gnu::always_inline]] inline auto least_lane(V v) {
  const V other = exchanged<by>(v, std::make_integer_sequence<int, width>());
  const V least = other < v ? other : v;
  if constexpr (by == 1) return least[0];
  else return least_lane<width, by / 2>(least);
}

template <class T>
class TwoLeast {
  using V = Lanes<T>;
  using I = decltype(V{} < V{});

 public:
  TwoLeast() {
    for (int l = 0; l < lanes<T>; ++l) first_[l] = second_[l] = std::numeric_limits<T>::infinity();
  }

  [[gnu::always_inline]] void add(int vector, Lanes<T> dist) {
    const I nearer = dist < first_;
    const V other = nearer ? first_ : dist;
    second_ = other < second_ ? other : second_;
    first_ = nearer ? dist : first_;
    at_ = nearer ? I{} + vector : at_;
  }

  struct Result {
    T first, second;
    int place;  // vector * lanes + lane
  };
  [[gnu::always_inline]] Result result() const {
    const T least = least_lane<lanes<T>>(first_);
    const I place = first_ == least ? at_ * lanes<T> + lane() : I{} + std::numeric_limits<int>::max();
    const auto at = least_lane<lanes<T>>(place);
    const V others = place == at ? second_ : first_;
    return {least, least_lane<lanes<T>>(others), int(at)};
  }

 private:
  static I lane() {
    I lane;
    for (int l = 0; l < lanes<T>; ++l) lane[l] = l;
    return lane;
  }
  V first_, second_;
  I at_ = {};
};

}  // namespace
}  // namespace km

// Factors that make bounds of a computed distance², a sum of d squares of differences. Each term passes at most d + 2 roundings. The sum is thus off
// by at most a share g = m u / (1 - m u), m = d + 3 (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). Underflow of squares adds at
// most d least numbers. The origin does not matter, because a difference of two numbers is rounded once.
#pragma once

#include <cmath>
#include <limits>

namespace km::yinyang {

template <class T>
struct Factors {
  using Limits = std::numeric_limits<T>;
  T up, down, tiny;

  /// part: of the proven share; below 1 nothing is proven.
  explicit Factors(int d, double part = 1) {
    const double roundings = part * (d + 3) * (Limits::epsilon() / 2.0), share = roundings / (1 - roundings);
    up = std::nextafter(T(1 / (1 - share)), Limits::infinity());
    down = std::nextafter(T(1 / (1 + share)), T(0));
    tiny = d * Limits::denorm_min();
  }
};

}  // namespace km::yinyang

// How far wu2011's ranked loop (Algorithm 3) must go, in squares and in rounding. A point x has label a; D² is the computed distance² between
// a and another centroid c, r² and s² those from x to a and to c. Where D² > cutoff(r²), s² > r² holds as computed: c would have lost, whatever the
// origin, and so would every centroid behind it in a's row. What is skipped changes no label, not even by a tie.
//
// A computed sum of d squared differences is the true one times 1 + e, |e| <= g = (d + 2) u / (1 - (d + 2) u), in whatever order it is added (Higham,
// Accuracy and Stability of Numerical Algorithms, 3.1), up to d times the least number t where terms underflow. So the true r² is at most
// q = (r² + d t) / (1 - g). If the true D² exceeds 4 q, then c is further from x than sqrt(q) by the triangle inequality, and the computed s² exceeds
// q (1 - g) - d t = r². The true D² exceeds 4 q where the computed one exceeds 4 (r² + d t) (1 + g) / (1 - g) + d t. For (d + 2) u <= 0.1 the quotient is
// at most 1 + 3.4 (d + 2) u, so that 1 + 4 (d + 4) u covers it and the three roundings of the product here; the least normal number, 2^23 t and more,
// covers what underflows.
#pragma once

#include <limits>

namespace km::triangle {

template <class T>
struct Cutoff {
  T times, least;
  constexpr explicit Cutoff(int d) : times(T(4 * (1 + 2.0 * (d + 4) * std::numeric_limits<T>::epsilon()))), least(std::numeric_limits<T>::min()) {}
  constexpr Cutoff(T times, T least) : times(times), least(least) {}
  constexpr T operator()(T dist) const { return times * (dist + least); }
};

}  // namespace km::triangle

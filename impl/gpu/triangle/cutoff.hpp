// The cut-off of wu2011's ranked loop (Algorithm 3), in squares and with rounding. A point x has label a. D² is the computed distance² between a and
// another centroid c; r² and s² are those from x to a and to c. If D² > cutoff(r²), then s² > r² as computed. c would have lost at any origin, and
// so would every centroid behind it in a's row. Skipping changes no label, not even at a tie.
//
// A computed sum of d squared differences is the true one times 1 + e, |e| <= g = (d + 2) u / (1 - (d + 2) u), in any order (Higham, Accuracy and
// Stability of Numerical Algorithms, 3.1). Underflow of terms adds up to d times the least number t. The true r² is therefore at most q = (r² + d t)
// / (1 - g). If the true D² exceeds 4 q, then c is further from x than sqrt(q) by the triangle inequality. The computed s² then exceeds q (1 - g) - d
// t = r². The true D² exceeds 4 q if the computed one exceeds 4 (r² + d t) (1 + g) / (1 - g) + d t. For (d + 2) u <= 0.1 the quotient is at most 1 +
// 3.4 (d + 2) u. Hence 1 + 4 (d + 4) u covers it and the three roundings of the product here. The least normal number, at least 2^23 t, covers
// underflow. The same r² stands on both sides, so no case needs more than half of 4 (d + 4) u.
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

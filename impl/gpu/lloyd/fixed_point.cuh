// Exact sums of floating-point values in integers: each value as a multiple of a small quantum plus a multiple of a far smaller one, both
// counted in 64 bits. No rounding, whatever the order, and what was added can be taken away again. With n below 2^22, values of fp32 are
// exact from the greatest down to 2^-56 of it, those of fp64 kept to 2^-80 of the greatest.
// Cost of a value: a conversion and four fp64 additions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace km::moved_sums {

/// A value in two integers. Adding 1.5 2^52 quanta rounds to whole quanta and leaves their number in the low bits.
struct FixedPoint {
  double coarse, fine;              // one unit of each
  double coarse_magic, fine_magic;  // 1.5 2^52 units

  FixedPoint() = default;
  /// |value| <= most; n of them do not overflow. A value has at most `most_bits` bits of the coarse unit.
  FixedPoint(double most, std::int64_t n, int most_bits = 50) {
    const int bits = std::min(most_bits, 61 - (n > 1 ? std::ilogb(double(n - 1)) + 1 : 0));
    const int top = most > 0 && std::isfinite(most) ? std::ilogb(most) + 1 : 0;
    coarse = std::ldexp(1.0, std::clamp(top - bits, -900, 900));
    fine = std::ldexp(coarse, -bits);
    coarse_magic = 1.5 * 0x1p52 * coarse, fine_magic = 1.5 * 0x1p52 * fine;
  }

  /// How many of each unit make up `value`.
  __device__ __forceinline__ void split(double value, long long& of_coarse, long long& of_fine) const {
    const double whole = value + coarse_magic;
    of_coarse = __double_as_longlong(whole) - __double_as_longlong(coarse_magic);
    of_fine = __double_as_longlong((value - (whole - coarse_magic)) + fine_magic) - __double_as_longlong(fine_magic);
  }
  __device__ __forceinline__ double value(unsigned long long of_coarse, unsigned long long of_fine) const {
    return double(static_cast<long long>(of_coarse)) * coarse + double(static_cast<long long>(of_fine)) * fine;
  }
};

}  // namespace km::moved_sums

// Exact sums of floating-point values: each is a multiple of a coarse unit plus one of a much finer unit, both 64-bit integers. Sums are independent
// of the order and reversible. With n below 2^22, fp32 values are exact from the greatest down to 2^-56 of it; fp64 values keep 2^-80 of it.
// Cost per value: a conversion and four fp64 additions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace km::moved_sums {

/// The two units. Adding 1.5 2^52 units rounds to whole units and leaves their number in the low bits.
struct FixedPoint {
  double coarse, fine;              // the two units
  double coarse_magic, fine_magic;  // 1.5 2^52 units

  FixedPoint() = default;
  /// |value| <= most; n values do not overflow. A value uses at most `most_bits` bits of the coarse unit.
  FixedPoint(double most, std::int64_t n, int most_bits = 50) {
    const int bits = std::min(most_bits, 61 - (n > 1 ? std::ilogb(double(n - 1)) + 1 : 0));
    const int top = most > 0 && std::isfinite(most) ? std::ilogb(most) + 1 : 0;
    coarse = std::ldexp(1.0, std::clamp(top - bits, -900, 900));
    fine = std::ldexp(coarse, -bits);
    coarse_magic = 1.5 * 0x1p52 * coarse, fine_magic = 1.5 * 0x1p52 * fine;
  }

  /// Splits `value` into numbers of both units.
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

// The scale of a column whose values are summed in fixed point.
#pragma once

#include <algorithm>
#include <cmath>

namespace km {

/// A power of two that brings a column's values below 1, so multiplying rounds nothing. greatest: |value| of the column.
inline double column_scale(double greatest) { return greatest > 0 ? std::ldexp(1.0, std::min(-std::ilogb(greatest) - 1, 1000)) : 1; }

}  // namespace km

// The header of a .npy file (NEP 1): a Python dictionary that says type, order and shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace km {

struct NpyHeader {
  std::string_view type;  // f4, f8, u1, i1, u2, i2, i4, i8; little-endian
  bool fortran = false;   // columns one after the other
  std::int64_t n = 0;
  int d = 0;
  std::size_t offset = 0;  // of the first value

  std::size_t value_bytes() const { return std::size_t(type[1] - '0'); }
  /// Of all n x d values; does not overflow.
  std::size_t bytes() const { return std::size_t(n) * std::size_t(d) * value_bytes(); }
};

/// From the file's first bytes, most_header_bytes of them where there are as many. Throws UserError, beginning with `path`, for
/// what is no two-dimensional table of a known type, and for a shape out of range.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& path);

}  // namespace km

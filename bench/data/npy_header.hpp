// The header of a .npy file (NEP 1): a Python dictionary with type, order and shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace km {

struct NpyHeader {
  std::string_view type;  // f2, f4, f8, u1, i1, u2, i2, i4, i8; little-endian
  bool fortran = false;   // column-major
  bool image = false;     // h x w x 3 or 4: a pixel is a point
  std::int64_t n = 0;
  int d = 0;
  std::size_t offset = 0;  // of the first value

  std::size_t value_bytes() const { return std::size_t(type[1] - '0'); }
  /// Bytes of all n x d values, without overflow.
  std::size_t bytes() const { return std::size_t(n) * std::size_t(d) * value_bytes(); }
};

/// Throws UserError, starting with `path`, if the file is neither a table n x d nor an image h x w x 3 or 4 (n = h w) of a known
/// type, or its shape is out of range.
NpyHeader read_npy_header(const std::filesystem::path& path);

}  // namespace km

// NumPy's .npy files (NEP 1), also as .npy.xz: little-endian tables in either order, read, or mapped if their layout allows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "bench/data/dataset.hpp"

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

/// Throws UserError unless the file is a table n x d, a column of n (d = 1) or an image h x w x 3 or 4 (n = h w). Its type must be known and its shape
/// in range.
NpyHeader read_npy_header(const std::filesystem::path& path);

/// Returns rows and columns from the header. Throws UserError as read_npy_header does, or for a file of another size.
DatasetShape npy_shape(const std::filesystem::path& path);

/// Returns the first n rows, row-major. Throws UserError for a truncated file.
template <class T>
Values<T> read_npy(const std::filesystem::path& path, std::int64_t n);

/// Returns why the values cannot be mapped as values of `value_bytes` (4: float, 8: double), or "".
std::string unmappable(const std::filesystem::path& path, std::size_t value_bytes);

/// Maps the first n rows and hashes their bytes (bench/data/hash.hpp). Hashing reads the file rather than the mapping, to detect a file that
/// shrinks. Throws UserError for that, for a value that is not finite, and for unmappable files.
template <class T>
struct MappedRows {
  Values<T> values;
  std::string hash;
};
template <class T>
MappedRows<T> map_npy(const std::filesystem::path& path, std::int64_t n);

}  // namespace km

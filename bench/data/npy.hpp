// NumPy's .npy files (NEP 1), also as .npy.xz: little-endian tables in either order, read, or mapped if their layout allows it.
#pragma once

#include "bench/data/dataset.hpp"

namespace km {

/// Returns rows and columns from the header. Throws UserError if it is no two-dimensional table of a known type.
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

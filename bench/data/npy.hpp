// NumPy's .npy files (NEP 1), also as .npy.xz: tables of numbers in either order, little-endian, read, or mapped where they lie as they are needed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "bench/data/dataset.hpp"

namespace km {

/// Rows and columns, from the header alone. Throws UserError for what is no two-dimensional table of a known type.
DatasetShape npy_shape(const std::filesystem::path& path);

/// The first n rows, row-major. Throws UserError for a file cut short.
template <class T>
Values<T> read_npy(const std::filesystem::path& path, std::int64_t n);

/// Why the file's values cannot be mapped as values of that size (4: float, 8: double), or "".
std::string unmappable(const std::filesystem::path& path, std::size_t value_bytes);

/// The first n rows where they lie in the file, and the hash of their bytes (bench/data/hash.hpp). The file is read once for it, by pieces,
/// and not through the mapping: one that shrinks meanwhile is refused. Throws UserError for that, for a value that is not finite, and
/// where they are unmappable.
template <class T>
struct MappedRows {
  Values<T> values;
  std::string hash;
};
template <class T>
MappedRows<T> map_npy(const std::filesystem::path& path, std::int64_t n);

}  // namespace km

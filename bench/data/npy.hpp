// NumPy's .npy files (NEP 1), also as .npy.xz: tables of numbers in either order, little-endian, read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "bench/data/dataset.hpp"

namespace km {

/// Rows and columns, from the header alone. Throws UserError for what is no two-dimensional table of a known type.
DatasetShape npy_shape(const std::filesystem::path& path);

/// The first n rows, row-major. Throws UserError for a file cut short.
template <class T>
Values<T> read_npy(const std::filesystem::path& path, std::int64_t n);

}  // namespace km

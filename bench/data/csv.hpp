// Tables of numbers as text: cells separated by comma, semicolon, tab or spaces, with or without "quotes"; a first line of names is a header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "bench/data/dataset.hpp"

namespace km {

/// Rows and columns. Reads the line breaks and the first line. Throws UserError where they show that this is no table of numbers.
DatasetShape csv_shape(const std::filesystem::path& path);

/// The first n rows. Throws UserError (file, row, column, text) for a cell that is no number or a row of another length. Rows and columns count from 1,
/// the header line not among them.
template <class T>
Values<T> read_csv(const std::filesystem::path& path, std::int64_t n);

}  // namespace km

// Tables of numbers as text: cells separated by comma, semicolon, tab or spaces; a first line without any number is a header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "bench/data/dataset.hpp"

namespace km {

/// Rows and columns. Reads the line breaks, not the cells.
DatasetShape csv_shape(const std::filesystem::path& path);

/// The first n rows. Throws UserError (file, row, column, text) for a cell that is no number or a row of another length. Rows and columns count from 1,
/// the header line not among them.
template <class T>
std::unique_ptr<T[]> read_csv(const std::filesystem::path& path, std::int64_t n);

}  // namespace km

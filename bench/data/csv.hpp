// Text tables of numbers. Cells are separated by comma, semicolon, tab or spaces and may be quoted. A first line of names is a header.
#pragma once

#include "bench/data/dataset.hpp"

namespace km {

/// Returns rows and columns from line breaks and the first line. Throws UserError if they show that this is no table of numbers.
DatasetShape csv_shape(const std::filesystem::path& path);

/// Returns the first n rows. Throws UserError (file, row, column, text) for a cell that is no number or a row of another length. Rows and columns
/// count from 1, without the header.
template <class T>
Values<T> read_csv(const std::filesystem::path& path, std::int64_t n);

}  // namespace km

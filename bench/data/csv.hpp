// Text tables of numbers. Commas, semicolons, tabs or spaces separate cells, which may be quoted. A first line of names is a header, # a comment.
#pragma once

#include "bench/data/dataset.hpp"

namespace km {

/// Returns rows and columns from line breaks and the first line. Throws UserError if they show that this is no table of numbers.
DatasetShape csv_shape(const std::filesystem::path& path);

/// Returns the names of the header, one for each column; empty without a header.
std::vector<std::string> csv_names(const std::filesystem::path& path);

/// Returns the first n rows, all columns or the given ones (from 0, ascending). Throws UserError (file, line, column, text) for a cell that is no
/// number or a row of another length. Lines and columns count from 1.
template <class T>
Values<T> read_csv(const std::filesystem::path& path, std::int64_t n, const std::vector<int>& columns = {});

}  // namespace km

// The tables of datasets/*.toml and the files of the search path, by name.
#pragma once

#include <map>

#include "bench/data/dataset.hpp"
#include "bench/data/generators/generators.hpp"

namespace km {

/// One data set as it is described: a generator with its recipe, or a file.
struct Entry {
  DatasetInfo info;
  const Generator* generator = nullptr;  // empty: a file
  Recipe recipe;                         // the table's defaults
  std::filesystem::path file;            // of a file: where it lies; empty when it is not here
};

/// Read afresh at every call: a file fetched meanwhile is found. Throws UserError for a malformed table.
std::map<std::string, Entry> catalogue();

/// The entry of a name, or of a path to a .npy, .csv or .npy.xz file. Throws UserError, `Missing` for a known file not here.
Entry find_entry(const std::string& name_or_path);

/// Is this a file of points by its name?
bool is_table_file(const std::filesystem::path& path);

DatasetShape file_shape(const std::filesystem::path& path);

template <class T>
std::unique_ptr<T[]> read_file(const std::filesystem::path& path, std::int64_t n);

}  // namespace km

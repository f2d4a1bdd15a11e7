// Data sets by name: the tables of datasets/*.toml and the files of the search path.
#pragma once

#include <map>

#include "bench/data/dataset.hpp"
#include "bench/data/generators/generators.hpp"
#include "bench/data/search_path.hpp"

namespace km {

/// Description of one data set: a generator's recipe or a file.
struct Entry {
  DatasetInfo info;
  const Generator* generator = nullptr;  // empty: a file
  Recipe recipe;                         // the table's defaults
  std::filesystem::path file;            // a file's path; empty if not here
};

/// Reads all tables at every call, so that new files are found. Throws UserError for a malformed table.
std::map<std::string, Entry> catalogue();

/// During its lifetime, find_entry and file_shape cache tables and files. A plan asks for them at every case.
struct KeepCatalogue {
  KeepCatalogue();
  ~KeepCatalogue();
  KeepCatalogue(const KeepCatalogue&) = delete;
  KeepCatalogue& operator=(const KeepCatalogue&) = delete;
};

/// Returns the entry of a name or of a path to a file of points. Throws UserError, or `Missing` for a known file that is not here.
Entry find_entry(const std::string& name_or_path);

/// Returns a generator's recipe with the checked settings of a request. Throws UserError.
Recipe resolved_recipe(const Entry& entry, const DatasetRequest& wish);

DatasetShape file_shape(const std::filesystem::path& path);

/// Bytes of the values that hold a file's own: 4 (float) or 8 (double: text, 8-byte and 4-byte integers, f8).
std::size_t own_value_bytes(const std::filesystem::path& path);

template <class T>
Values<T> read_file(const std::filesystem::path& path, std::int64_t n);

}  // namespace km

// The tables of datasets/*.toml and the files of the search path, by name.
#pragma once

#include <map>

#include "bench/data/dataset.hpp"
#include "bench/data/generators/generators.hpp"
#include "bench/data/search_path.hpp"

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

/// While one lives, find_entry and file_shape read tables and files once: a plan asks for them at every case.
struct KeepCatalogue {
  KeepCatalogue();
  ~KeepCatalogue();
  KeepCatalogue(const KeepCatalogue&) = delete;
  KeepCatalogue& operator=(const KeepCatalogue&) = delete;
};

/// The entry of a name, or of a path to a .npy, .csv or .npy.xz file. Throws UserError, `Missing` for a known file not here.
Entry find_entry(const std::string& name_or_path);

/// A generator's recipe with a request's wishes, each checked. Throws UserError.
Recipe resolved_recipe(const Entry& entry, const DatasetRequest& wish);

DatasetShape file_shape(const std::filesystem::path& path);

template <class T>
Values<T> read_file(const std::filesystem::path& path, std::int64_t n);

}  // namespace km

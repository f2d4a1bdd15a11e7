// Data sets by name: the tables of datasets/*.toml and the files of the search path.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/data/dataset.hpp"
#include "bench/data/generators.hpp"

namespace km {

/// Returns a folder's entries, sorted. Throws UserError if it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// True for .csv, .tsv and .txt.
bool is_text_table(const std::filesystem::path& path);
/// True if the name has the ending of a file of points: .npy, .npz, .npy.xz, or of a text table.
bool is_points_file(const std::filesystem::path& path);
/// The name without its ending.
std::string table_stem(const std::filesystem::path& path);

/// Description of one data set: a generator's recipe or a file.
struct Entry {
  DatasetInfo info;
  const Generator* generator = nullptr;  // empty: a file
  Recipe recipe;                         // the table's defaults
  std::filesystem::path file;            // a file's path; empty if not here
};

/// Reads all tables at every call, so that new files are found. Files come from KMBENCH_DATA (a ':'-separated search path), data/ of the project and
/// of the current folder, and datasets/real of the project. Throws UserError for a malformed table, or if KMBENCH_DATA names no folder.
std::map<std::string, Entry> catalogue();

/// During its lifetime, find_entry and file_shape cache tables and files. A plan asks for them at every case.
struct KeepCatalogue {
  KeepCatalogue();
  ~KeepCatalogue();
  KeepCatalogue(KeepCatalogue&&) = delete;
};

/// Returns the entry of a name or of a path to a file of points. Throws UserError, or `Missing` for a known file that is not here.
Entry find_entry(const std::string& name_or_path);

/// Returns a generator's recipe with the checked settings of a request. Throws UserError.
Recipe resolved_recipe(const Entry& entry, const DatasetRequest& request);

DatasetShape file_shape(const std::filesystem::path& path);

/// Bytes of the values that hold a file's own: 4 (float) or 8 (double: text, 8-byte and 4-byte integers, f8).
std::size_t own_value_bytes(const std::filesystem::path& path);

template <class T>
Values<T> read_file(const std::filesystem::path& path, std::int64_t n);

}  // namespace km

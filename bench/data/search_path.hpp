// Search path of point files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace km {

/// Returns a folder's entries, sorted. Throws UserError if it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// True if the name has the ending of a point file.
bool is_table_file(const std::filesystem::path& path);

/// The name without .npy, .npy.xz or .csv.
std::string table_stem(const std::filesystem::path& path);

/// Returns point files by stem, from KMBENCH_DATA, data/ of the project, data/ of the current folder, and datasets/real of the project; earlier
/// folders win. Throws UserError if KMBENCH_DATA names no folder.
std::map<std::string, std::filesystem::path> found_files();

}  // namespace km

// Search path of point files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace km {

/// Returns a folder's entries, sorted. Throws UserError if it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// True for .csv, .tsv and .txt.
bool is_text_table(const std::filesystem::path& path);
/// True if the name has the ending of a file of points: .npy, .npz, .npy.xz, or of a text table.
bool is_points_file(const std::filesystem::path& path);
/// The same but .txt: other texts in a folder have that ending, too.
bool is_table_file(const std::filesystem::path& path);

/// The name without its ending.
std::string table_stem(const std::filesystem::path& path);

/// Returns table files by stem, from KMBENCH_DATA, data/ of the project, data/ of the current folder, and datasets/real of the project; earlier
/// folders win. Throws UserError if KMBENCH_DATA names no folder.
std::map<std::string, std::filesystem::path> found_files();

}  // namespace km

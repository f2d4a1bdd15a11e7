// Search path of point files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace km {

/// Returns a folder's entries, sorted. Throws UserError if it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// True if the name has the ending of a file of points: .npy, .npz, .npy.xz, or of a text table.
bool is_table_file(const std::filesystem::path& path);
/// True for .csv, .tsv and .txt.
bool is_text_table(const std::filesystem::path& path);
/// The endings, for messages.
constexpr std::string_view table_endings = ".npy, .npz, .npy.xz, .csv, .tsv or .txt";

/// The name without its ending.
std::string table_stem(const std::filesystem::path& path);

/// Returns files of points by stem, without any .txt, from KMBENCH_DATA, data/ of the project, data/ of the current folder, and datasets/real of the project; earlier
/// folders win. Throws UserError if KMBENCH_DATA names no folder.
std::map<std::string, std::filesystem::path> found_files();

}  // namespace km

// Where files of points are looked for by name.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace km {

/// Is this a file of points by its name?
bool is_table_file(const std::filesystem::path& path);

/// Its name without .npy, .npy.xz or .csv.
std::string table_stem(const std::filesystem::path& path);

/// Files of points by stem, below the folders of KMBENCH_DATA, data/ of the project, data/ of the current folder and datasets/real of the
/// project; where two folders hold one, the earlier folder's. Throws UserError where KMBENCH_DATA names what is no folder.
std::map<std::string, std::filesystem::path> found_files();

}  // namespace km

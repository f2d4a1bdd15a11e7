#include "bench/data/search_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

bool ends_in(const fs::path& path, std::string_view suffix) { return path.filename().string().ends_with(suffix); }

std::vector<fs::path> search_path() {
  std::vector<fs::path> folders;
  std::error_code error;
  if (const char* listed = std::getenv("KMBENCH_DATA")) {
    std::istringstream in(listed);
    for (std::string folder; std::getline(in, folder, ':');) {
      if (folder.empty()) continue;
      if (!fs::is_directory(folder, error)) throw UserError(fmt::format("KMBENCH_DATA names '{}', which is no folder", folder));
      folders.emplace_back(folder);
    }
  }
  for (const auto& folder : {home() / "data", fs::current_path() / "data", home() / "datasets" / "real"})
    if (fs::is_directory(folder, error)) folders.push_back(folder);
  return folders;
}

}  // namespace

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) entries.push_back(at->path());
  if (error) throw UserError(fmt::format("folder {}: {}", folder.string(), error.message()));
  std::ranges::sort(entries);
  return entries;
}

bool is_text_table(const fs::path& path) { return ends_in(path, ".csv") || ends_in(path, ".tsv") || ends_in(path, ".txt"); }

bool is_points_file(const fs::path& path) {
  return ends_in(path, ".npy") || ends_in(path, ".npz") || ends_in(path, ".npy.xz") || is_text_table(path);
}

bool is_table_file(const fs::path& path) { return is_points_file(path) && !ends_in(path, ".txt"); }

std::string table_stem(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.rfind(ends_in(path, ".npy.xz") ? ".npy" : "."));
}

std::map<std::string, fs::path> found_files() {
  std::map<std::string, fs::path> files;
  for (const auto& folder : search_path())
    for (const auto& path : entries_of(folder))
      if (is_table_file(path) && is_text(path.string())) files.emplace(table_stem(path), path);
  return files;
}

}  // namespace km

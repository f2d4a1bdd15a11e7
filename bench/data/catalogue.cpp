#include "bench/data/catalogue.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "bench/data/csv.hpp"
#include "bench/data/npy.hpp"
#include "bench/error.hpp"
#include "bench/home.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

bool ends_in(const fs::path& path, std::string_view suffix) { return path.filename().string().ends_with(suffix); }

/// KMBENCH_DATA's folders, data/ of the project and data/ of the current folder, those that exist.
std::vector<fs::path> search_path() {
  std::vector<fs::path> folders;
  if (const char* listed = std::getenv("KMBENCH_DATA")) {
    std::istringstream in(listed);
    for (std::string folder; std::getline(in, folder, ':');)
      if (!folder.empty()) folders.emplace_back(folder);
  }
  folders.push_back(home() / "data");
  folders.push_back(fs::current_path() / "data");
  std::erase_if(folders, [](const fs::path& folder) { return !fs::is_directory(folder); });
  return folders;
}

/// Files of points by stem; where two folders hold one, the earlier folder's.
std::map<std::string, fs::path> found_files() {
  std::map<std::string, fs::path> files;
  for (const auto& folder : search_path()) {
    std::vector<fs::path> here;
    for (const auto& entry : fs::directory_iterator(folder))
      if (is_table_file(entry.path())) here.push_back(entry.path());
    std::ranges::sort(here);
    for (const auto& path : here) {
      const std::string name = path.filename().string();
      files.emplace(name.substr(0, name.rfind(ends_in(path, ".npy.xz") ? ".npy" : ".")), path);
    }
  }
  return files;
}

[[noreturn]] void refuse(const fs::path& toml, const toml::node& node, std::string_view what) {
  throw UserError(fmt::format("{}, line {}: {}", toml.string(), node.source().begin.line, what));
}

/// generator = "balls", and its settings, numbers by name, beside n, d, k, seed and centroids.
void read_recipe(const fs::path& toml, const toml::table& table, Entry& entry) {
  const std::string wanted = table["generator"].value_or(std::string());
  const auto& all = generators();
  const auto generator = std::ranges::find(all, wanted, &Generator::name);
  if (generator == all.end()) refuse(toml, table, fmt::format("no generator is called '{}'", wanted));
  entry.generator = &*generator;
  Recipe& r = entry.recipe;
  r = {.n = table["n"].value_or(std::int64_t{0}), .d = table["d"].value_or(0), .k = table["k"].value_or(1),
       .seed = table["seed"].value_or(std::uint64_t{0}), .settings = generator->settings, .centroids = {}};
  if (const auto* settings = table["settings"].as_table())
    for (const auto& [key, node] : *settings) {
      const auto value = node.value<double>();
      if (!value || !r.settings.contains(std::string(key.str()))) refuse(toml, node, fmt::format("{} has no setting '{}'", wanted, key.str()));
      r.settings[std::string(key.str())] = *value;
    }
  if (const auto* rows = table["centroids"].as_array())
    for (const auto& row : *rows)
      for (const auto& x : *row.as_array()) r.centroids.push_back(x.value_or(0.0));
  if (!r.centroids.empty() && r.centroids.size() != std::size_t(r.k) * std::size_t(r.d)) refuse(toml, table, "centroids must be k rows of d numbers");
}

void read_tables(const fs::path& toml, const std::map<std::string, fs::path>& files, std::map<std::string, Entry>& entries) {
  toml::table document;
  try {
    document = toml::parse_file(toml.string());
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}, line {}: {}", toml.string(), error.source().begin.line, error.description()));
  }
  for (const auto& [key, node] : document) {
    const std::string name(key.str());
    const auto* table = node.as_table();
    if (!table) refuse(toml, node, fmt::format("'{}' must be a table", name));
    const auto text = [&](std::string_view field) { return (*table)[field].value_or(std::string()); };
    Entry entry{.info = {.name = name, .summary = text("summary"), .kind = "generator", .n = (*table)["n"].value_or(std::int64_t{0}),
                         .d = (*table)["d"].value_or(0), .licence = text("licence"), .source = text("source"), .missing = ""},
                .recipe = {}, .file = {}};
    if (table->contains("generator")) {
      read_recipe(toml, *table, entry);
    } else if (table->contains("file")) {
      entry.info.kind = "file";
      const std::string stem = fs::path(text("file")).stem().string();
      if (const auto at = files.find(stem); at != files.end()) entry.file = at->second;
      else entry.info.missing = fmt::format("{} is not on this machine: {}", text("file"), text("advice").empty() ? "run scripts/fetch_datasets " + name : text("advice"));
    } else {
      refuse(toml, node, fmt::format("'{}' needs a generator or a file", name));
    }
    if (!entries.emplace(name, std::move(entry)).second) refuse(toml, node, fmt::format("'{}' is defined twice", name));
  }
}

Entry plain_file(const std::string& name, const fs::path& path) {
  return {.info = {.name = name, .summary = path.filename().string(), .kind = "file", .n = 0, .d = 0, .licence = "", .source = path.string(), .missing = ""},
          .recipe = {}, .file = path};
}

}  // namespace

bool is_table_file(const fs::path& path) { return ends_in(path, ".npy") || ends_in(path, ".npy.xz") || ends_in(path, ".csv"); }

std::map<std::string, Entry> catalogue() {
  const auto files = found_files();
  std::map<std::string, Entry> entries;
  for (const auto& entry : fs::directory_iterator(home() / "datasets"))
    if (entry.path().extension() == ".toml") read_tables(entry.path(), files, entries);
  for (const auto& [stem, path] : files) entries.emplace(stem, plain_file(stem, path));   // a table's name wins
  return entries;
}

Entry find_entry(const std::string& name) {
  if (name.find('/') != name.npos || is_table_file(name)) {
    if (!is_table_file(name)) throw UserError(fmt::format("{}: not a .npy, .npy.xz or .csv file", name));
    if (!fs::exists(name)) throw UserError(fmt::format("{}: no such file", name));
    return plain_file(name, name);
  }
  auto entries = catalogue();
  const auto at = entries.find(name);
  if (at == entries.end()) throw UserError(fmt::format("unknown data set '{}': see kmbench list, or give a path to a .npy or .csv file", name));
  if (!at->second.info.missing.empty()) throw Missing(at->second.info.missing);
  return std::move(at->second);
}

DatasetShape file_shape(const fs::path& path) { return path.extension() == ".csv" ? csv_shape(path) : npy_shape(path); }

template <class T>
std::unique_ptr<T[]> read_file(const fs::path& path, std::int64_t n) {
  return path.extension() == ".csv" ? read_csv<T>(path, n) : read_npy<T>(path, n);
}

template std::unique_ptr<float[]> read_file(const fs::path&, std::int64_t);
template std::unique_ptr<double[]> read_file(const fs::path&, std::int64_t);

}  // namespace km

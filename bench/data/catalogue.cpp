#include "bench/data/catalogue.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/data/csv.hpp"
#include "bench/data/hash.hpp"
#include "bench/data/limits.hpp"
#include "bench/data/npy.hpp"
#include "bench/data/toml_file.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> search_path() {
  std::vector<fs::path> folders;
  std::error_code error;
  if (const char* listed = std::getenv("KMBENCH_DATA")) {
    std::istringstream in(listed);
    for (std::string folder; std::getline(in, folder, ':');) {
      if (folder.empty()) continue;
      if (!fs::is_directory(folder, error)) throw UserError("KMBENCH_DATA names '{}', which is no folder", folder);
      folders.emplace_back(folder);
    }
  }
  for (const auto& folder : {home() / "data", fs::current_path() / "data", home() / "datasets" / "real"})
    if (fs::is_directory(folder, error)) folders.push_back(folder);
  return folders;
}

/// The endings of points files but .txt: other texts in a folder have that ending, too.
bool is_table_file(const fs::path& path) { return is_points_file(path) && !ends_in(path.string(), ".txt"); }

/// Returns table files by stem; earlier folders win.
std::map<std::string, fs::path> found_files() {
  std::map<std::string, fs::path> files;
  for (const auto& folder : search_path())
    for (const auto& path : entries_of(folder))
      if (is_table_file(path) && is_text(path.string())) files.emplace(table_stem(path), path);
  return files;
}

constexpr std::array<std::string_view, 13> keys = {"summary",  "generator", "n",       "d",      "k",      "seed", "centroids",
                                                   "settings", "file",      "licence", "source", "advice", "fetch"};

double finite(const fs::path& toml, const toml::node& node, std::string_view key) {
  const double value = node.is_number() ? node.value_or(0.0) : NAN;
  if (!std::isfinite(value)) refuse(toml, node, "'{}' must hold finite numbers", key);
  return value;
}

/// Reads k rows of d numbers.
std::vector<double> read_centroids(const fs::path& toml, const toml::node& node, int k, int d) {
  std::vector<double> centroids;
  const auto wrong = fmt::format("'centroids' must be {} rows of {} numbers: k and d of the table", k, d);
  const auto* rows = node.as_array();
  if (!rows || rows->size() != std::size_t(k)) refuse(toml, node, wrong);
  for (const auto& row : *rows) {
    const auto* cells = row.as_array();
    if (!cells || cells->size() != std::size_t(d)) refuse(toml, row, wrong);
    for (const auto& x : *cells) centroids.push_back(finite(toml, x, "centroids"));
  }
  return centroids;
}

/// Reads `generator` and its settings: numbers by name beside n, d, k, seed and centroids.
void read_recipe(const fs::path& toml, const toml::table& table, Entry& entry) {
  const std::string wanted = text_of(toml, table, "generator");
  const auto& all = generators();
  const auto generator = std::ranges::find(all, wanted, &Generator::name);
  if (generator == all.end()) refuse(toml, table, "no generator is called '{}'", wanted);
  entry.generator = &*generator;
  Recipe& r = entry.recipe;
  r = {.n = entry.info.n,
       .d = entry.info.d,
       .k = int(whole_of(toml, table, "k", 1, 100'000'000).value_or(1)),
       .seed = std::uint64_t(whole_of(toml, table, "seed", 0, std::int64_t{1} << 53).value_or(0)),
       .settings = generator->settings};
  if (const auto* settings = table.get("settings")) {
    if (!settings->is_table()) refuse(toml, *settings, "'settings' must be a table: settings = { radius = 9 }");
    for (const auto& [key, node] : *settings->as_table()) {
      if (!r.settings.contains(std::string(key.str()))) refuse(toml, node, "{} has no setting '{}'", wanted, key.str());
      r.settings[std::string(key.str())] = finite(toml, node, key.str());
    }
  }
  if (const auto* rows = table.get("centroids")) r.centroids = read_centroids(toml, *rows, r.k, r.d);
}

void read_tables(const fs::path& toml, const std::map<std::string, fs::path>& files, std::map<std::string, Entry>& entries) {
  const toml::table document = read_toml(toml);
  for (const auto& [key, node] : document) {
    const std::string name(key.str());
    const auto* table = node.as_table();
    if (!table) refuse(toml, node, "'{}' must be a table", name);
    if (name.empty() || !is_text(name) || name.find('/') != name.npos)
      refuse(toml, node, "'{}' cannot be a name: one line of text without '/'", name);
    for (const auto& [field, value] : *table)
      if (std::ranges::find(keys, field.str()) == keys.end())
        refuse(toml, value, "unknown key '{}'; accepted: {}", field.str(), fmt::join(keys, ", "));
    const auto text = [&](std::string_view field) { return text_of(toml, *table, field); };
    Entry entry{.info = {.name = name,
                         .summary = text("summary"),
                         .kind = "generator",
                         .n = whole_of(toml, *table, "n", 1, std::int64_t{1} << 50).value_or(0),
                         .d = int(whole_of(toml, *table, "d", 1, most_dimensions).value_or(0)),
                         .licence = text("licence"),
                         .source = text("source")}};
    const std::string file = text("file"), advice = text("advice");
    if (table->contains("generator")) {
      read_recipe(toml, *table, entry);
    } else if (!file.empty()) {
      if (!is_table_file(file) || fs::path(file).has_parent_path())
        refuse(toml, node, "file '{}': the name of a .npy, .npz, .npy.xz, .csv or .tsv file, without a folder", file);
      entry.info.kind = "file";
      if (const auto at = files.find(table_stem(file)); at != files.end()) entry.file = at->second;
      else entry.info.missing = fmt::format("{} is not on this machine: {}", file, advice.empty() ? "run kmbench fetch " + name : advice);
    } else {
      refuse(toml, node, "'{}' needs a generator or a file", name);
    }
    if (!entries.emplace(name, std::move(entry)).second) refuse(toml, node, "'{}' is defined twice", name);
  }
}

Entry plain_file(const std::string& name, const fs::path& path) {
  return {.info = {.name = name, .summary = path.filename().string(), .kind = "file", .source = path.string()}, .file = path};
}

/// Cache of KeepCatalogue.
struct Kept {
  int holders = 0;
  std::map<std::string, Entry> entries;
  std::map<fs::path, DatasetShape> shapes;
} kept;
std::mutex kept_mutex;  // ranks that are threads load at once (tests/thread_group.hpp)

/// Reads instead of mapping, because a mapped file that shrinks would crash the process.
std::string file_hash(const fs::path& path) {
  static std::map<std::pair<fs::path, fs::file_time_type>, std::string> known;  // cache: a plan asks for one file many times
  std::error_code gone;
  const auto key = std::pair(path, fs::last_write_time(path, gone));
  if (const auto at = known.find(key); at != known.end()) return at->second;
  std::ifstream in(path, std::ios::binary);
  if (!in || gone) throw UserError("cannot read {}", path.string());
  std::string chunk(std::size_t{16} << 20, '\0'), hashes;
  while (in.read(chunk.data(), std::streamsize(chunk.size())), in.gcount() > 0) hashes += hash_of(chunk.data(), std::size_t(in.gcount()));
  if (in.bad()) throw UserError("cannot read {}", path.string());
  return known[key] = hash_of(hashes.data(), hashes.size());
}

std::string recipe_hash(const std::string& generator, const Recipe& r) {
  const std::string text =
      fmt::format("{} n {} d {} k {} seed {} settings {} centroids {}", generator, r.n, r.d, r.k, r.seed, r.settings, r.centroids);
  return hash_of(text.data(), text.size());
}

}  // namespace

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) entries.push_back(at->path());
  if (error) throw UserError("folder {}: {}", folder.string(), error.message());
  std::ranges::sort(entries);
  return entries;
}

bool is_text_table(const fs::path& path) {
  return std::ranges::any_of(std::array{".csv", ".tsv", ".txt"}, [name = path.string()](const char* suffix) { return ends_in(name, suffix); });
}

bool is_points_file(const fs::path& path) {
  return std::ranges::any_of(std::array{".npy", ".npz", ".npy.xz"}, [name = path.string()](const char* suffix) { return ends_in(name, suffix); }) ||
         is_text_table(path);
}

std::string table_stem(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.rfind('.', ends_in(name, ".npy.xz") ? name.size() - 4 : name.npos));
}

std::map<std::string, Entry> catalogue() {
  const auto files = found_files();
  std::map<std::string, Entry> entries;
  for (const auto& path : entries_of(home() / "datasets"))
    if (path.extension() == ".toml") read_tables(path, files, entries);
  for (const auto& [stem, path] : files) entries.emplace(stem, plain_file(stem, path));  // a table wins over a file of its name
  return entries;
}

KeepCatalogue::KeepCatalogue() {
  const std::lock_guard turn(kept_mutex);
  if (kept.holders == 0) kept.entries = catalogue();
  ++kept.holders;
}

KeepCatalogue::~KeepCatalogue() {
  const std::lock_guard turn(kept_mutex);
  if (--kept.holders == 0) kept = {};
}

Entry find_entry(const std::string& name) {
  if (name.find('/') != name.npos || is_points_file(name)) {
    std::error_code error;
    if (!is_points_file(name)) throw UserError("{}: not a .npy, .npz, .npy.xz, .csv, .tsv or .txt file", name);
    if (!fs::exists(name, error)) throw UserError("{}: no such file", name);
    return plain_file(name, name);
  }
  const KeepCatalogue keep;
  const auto at = kept.entries.find(name);
  if (at == kept.entries.end()) {
    std::vector<std::string> names;
    for (const auto& [known, entry] : kept.entries) names.push_back(known);
    throw UserError("unknown data set '{}': see kmbench list datasets, or give a path to a .npy or .csv file{}", name, did_you_mean(name, names));
  }
  if (!at->second.info.missing.empty()) throw Missing(at->second.info.missing);
  return at->second;
}

DatasetShape file_shape(const fs::path& path) {
  {
    const std::lock_guard turn(kept_mutex);
    if (const auto at = kept.shapes.find(path); at != kept.shapes.end()) return at->second;
  }
  const DatasetShape shape = is_text_table(path) ? csv_shape(path) : npy_shape(path);
  const std::lock_guard turn(kept_mutex);
  if (kept.holders > 0) kept.shapes.emplace(path, shape);
  return shape;
}

std::size_t own_value_bytes(const fs::path& path) {
  if (is_text_table(path)) return 8;
  const NpyHeader h = read_npy_header(path);
  return h.type == "f8" || h.type == "i8" || h.type == "i4" ? 8 : 4;
}

template <class T>
Values<T> read_file(const fs::path& path, std::int64_t n) {
  return is_text_table(path) ? read_csv<T>(path, n) : read_npy<T>(path, n);
}

template Values<float> read_file(const fs::path&, std::int64_t);
template Values<double> read_file(const fs::path&, std::int64_t);

std::string dataset_source(const DatasetRequest& request) {
  static std::map<DatasetRequest, std::string> known;  // cache of generators: tables do not change within a plan
  if (const auto at = known.find(request); at != known.end()) return at->second;
  const Entry entry = find_entry(request.name);
  if (!entry.generator) return file_hash(entry.file);
  return known[request] = recipe_hash(std::string(entry.generator->name), resolved_recipe(entry, request));
}

std::string init_source(const std::string& method) { return is_init_file(method) ? file_hash(method) : ""; }

}  // namespace km

// Fingerprints of point sources.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <map>

#include "bench/base/error.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/data/hash.hpp"

namespace km {
namespace {

/// Reads instead of mapping, because a mapped file that shrinks would crash the process.
std::string file_hash(const std::filesystem::path& path) {
  static std::map<std::pair<std::filesystem::path, std::filesystem::file_time_type>, std::string>
      known;  // cache: a plan asks for one file many times
  std::error_code gone;
  const auto key = std::pair(path, std::filesystem::last_write_time(path, gone));
  if (const auto at = known.find(key); at != known.end()) return at->second;
  std::ifstream in(path, std::ios::binary);
  if (!in || gone) throw UserError(fmt::format("cannot read {}", path.string()));
  std::string chunk(std::size_t{16} << 20, '\0'), hashes;
  while (in.read(chunk.data(), std::streamsize(chunk.size())), in.gcount() > 0) hashes += hash_of(chunk.data(), std::size_t(in.gcount()));
  return known[key] = hash_of(hashes.data(), hashes.size());
}

std::string recipe_hash(const std::string& generator, const Recipe& r) {
  const std::string text =
      fmt::format("{} n {} d {} k {} seed {} settings {} centroids {}", generator, r.n, r.d, r.k, r.seed, r.settings, r.centroids);
  return hash_of(text.data(), text.size());
}

}  // namespace

std::string dataset_source(const DatasetRequest& request) {
  static std::map<DatasetRequest, std::string> known;  // cache of generators: tables do not change within a plan
  if (const auto at = known.find(request); at != known.end()) return at->second;
  const Entry entry = find_entry(request.name);
  if (!entry.generator) return file_hash(entry.file);
  return known[request] = recipe_hash(std::string(entry.generator->name), resolved_recipe(entry, request));
}

std::string init_source(const std::string& method) { return is_init_file(method) ? file_hash(method) : ""; }

}  // namespace km

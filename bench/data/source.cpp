// Fingerprints of where points come from.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "bench/data/catalogue.hpp"
#include "bench/data/hash.hpp"
#include "bench/error.hpp"

namespace km {
namespace {

std::string file_hash(const std::filesystem::path& path) {
  static std::map<std::pair<std::filesystem::path, std::filesystem::file_time_type>, std::string> known;  // a plan asks for one file many times
  const auto [at, fresh] = known.try_emplace({path, std::filesystem::last_write_time(path)}, "");
  if (fresh) {
    const std::size_t bytes = std::filesystem::file_size(path);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    void* const mapped = file < 0 ? MAP_FAILED : ::mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0) ::close(file);
    if (mapped == MAP_FAILED) throw UserError(fmt::format("cannot read {}", path.string()));
    at->second = hash_of(mapped, bytes);
    ::munmap(mapped, std::max<std::size_t>(bytes, 1));
  }
  return at->second;
}

std::string recipe_hash(const std::string& generator, const Recipe& r) {
  const std::string text = fmt::format("{} n {} d {} k {} seed {} settings {} centroids {}", generator, r.n, r.d, r.k, r.seed, r.settings, r.centroids);
  return hash_of(text.data(), text.size());
}

}  // namespace

std::string dataset_source(const DatasetRequest& request) {
  static std::map<DatasetRequest, std::string> known;  // of generators: their tables do not change within a plan
  if (const auto at = known.find(request); at != known.end()) return at->second;
  const Entry entry = find_entry(request.name);
  if (!entry.generator) return file_hash(entry.file);
  return known[request] = recipe_hash(std::string(entry.generator->name), resolved_recipe(entry, request));
}

std::string init_source(const std::string& method) {
  return method.ends_with(".npy") || method.ends_with(".npy.xz") ? file_hash(method) : "";
}

}  // namespace km

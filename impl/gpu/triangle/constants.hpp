// Constants of wu2011's cost model (Section IV) and their cache between processes: kmbench/ of the user's cache folder. There is one file per card,
// precision, grid and block. Delete it to measure again.
#pragma once

#include <unistd.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace km::triangle {

/// Seconds of an iteration's labels, less costs common to both kernels: a n d k' + b k² log2 k (reinforced, k': mean M), c n d k (standard).
struct Constants {
  double a = 0, b = 0, c = 0;
  bool usable() const { return std::isfinite(a + b + c) && a > 0 && b > 0 && c > 0; }
};

/// Returns the file of this name, or "" without a cache folder.
inline std::filesystem::path constants_file(std::string name) {
  const char *cache = std::getenv("XDG_CACHE_HOME"), *user = std::getenv("HOME");
  std::filesystem::path folder;
  if (cache && *cache == '/') folder = cache;
  else if (user && *user == '/') folder = std::filesystem::path(user) / ".cache";
  else return {};
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return folder / "kmbench" / ("triangle_beside_shared_" + name + ".txt");
}

/// Returns zeros if there is no file or its content is invalid.
inline Constants read_constants(const std::filesystem::path& file) {
  Constants found;
  std::ifstream in(file);
  if (std::string rest; !(in >> found.a >> found.b >> found.c) || in >> rest || !found.usable()) return {};
  return found;
}

/// Writes atomically, because other processes may read or write the file. Without write permission later processes measure again.
inline void write_constants(const std::filesystem::path& file, const Constants& found) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  const std::filesystem::path draft = file.string() + "." + std::to_string(::getpid());
  bool whole = false;
  if (std::ofstream out(draft); out) {
    out.precision(17);
    out << found.a << ' ' << found.b << ' ' << found.c << '\n';
    whole = bool(out.flush());
  }
  if (whole) std::filesystem::rename(draft, file, ignored);
  std::filesystem::remove(draft, ignored);
}

}  // namespace km::triangle

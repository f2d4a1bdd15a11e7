// The constants of wu2011's cost model (Section IV), and where they are kept between processes: kmbench/ of the user's cache folder, one small file a
// card, precision, grid and block. Delete it to measure anew.
#pragma once

#include <unistd.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace km::triangle {

/// Beside what both take, an iteration's labels take a n d k' + b k² log k seconds with the reinforced kernel, where k' is the mean M, and c n d k with
/// the standard one; log is to base 2.
struct Constants {
  double a = 0, b = 0, c = 0;
  bool usable() const { return std::isfinite(a + b + c) && a > 0 && b > 0 && c > 0; }
};

/// Where those of this name are kept, or empty: nowhere.
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

/// All zero where there are none, or where the file holds anything else.
inline Constants read_constants(const std::filesystem::path& file) {
  Constants found;
  std::ifstream in(file);
  if (std::string rest; !(in >> found.a >> found.b >> found.c) || in >> rest || !found.usable()) return {};
  return found;
}

/// Whole or not at all: a second process may read it, or write its own, at any time. A folder that takes no files costs later processes a new measurement.
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

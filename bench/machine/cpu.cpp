#include "bench/machine/cpu.hpp"

#include <fstream>

namespace km {

std::string first_line(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string cpuinfo(const std::string& key) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key))
      if (const auto colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
  return "unknown";
}

}  // namespace km

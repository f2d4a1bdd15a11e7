#include "bench/machine/cpu.hpp"

#include <fstream>

namespace km {

std::string first_line(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string rest_of_line(const std::filesystem::path& path, std::string_view key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) return line.substr(key.size());
  return "";
}

std::string cpuinfo(const std::string& key) {
  const std::string rest = rest_of_line("/proc/cpuinfo", key);
  const auto colon = rest.find(": ");
  return colon == rest.npos ? "unknown" : rest.substr(colon + 2);
}

}  // namespace km

#include "bench/machine/memory.hpp"

#include <fstream>
#include <string>

namespace km::memory {
namespace {

std::int64_t kilobytes(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) return std::stoll(line.substr(key.size())) * 1024;
  return 0;
}

}  // namespace

std::int64_t total_bytes() { return kilobytes("/proc/meminfo", "MemTotal:"); }
std::int64_t available_bytes() { return kilobytes("/proc/meminfo", "MemAvailable:"); }
std::int64_t peak_bytes() { return kilobytes("/proc/self/status", "VmHWM:"); }
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace km::memory

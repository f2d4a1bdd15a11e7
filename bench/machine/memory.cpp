#include "bench/machine/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include "bench/base/error.hpp"
#include "bench/base/proc.hpp"

namespace km::memory {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::int64_t bytes_of(const char* file, const char* key) {
  const std::string kilobytes = rest_of_line(file, key);
  return kilobytes.empty() ? 0 : std::stoll(kilobytes) * 1024;
}

/// Returns a control group's limit minus its use. File pages do not count, because the kernel can reclaim them.
std::int64_t left_in(const std::string& folder, const char* limit, const char* used, const std::string& prefix) {
  const auto most = number_in<std::int64_t>(folder + limit);
  if (!most) return unlimited;  // "max"
  std::int64_t files = 0, bytes = 0;
  std::ifstream in(folder + "/memory.stat");
  for (std::string name; in >> name >> bytes;)
    if (name == prefix + "active_file" || name == prefix + "inactive_file") files += bytes;
  return std::max<std::int64_t>(1, *most - std::max<std::int64_t>(0, number_in<std::int64_t>(folder + used).value_or(0) - files));
}

/// The least of a group, empty or "/path", and of those above it up to `root`.
std::int64_t left_up_from(std::string path, const std::string& root, const char* limit, const char* used, const std::string& prefix) {
  std::int64_t least = unlimited;
  for (;; path.erase(path.rfind('/'))) {
    least = std::min(least, left_in(root + path, limit, used, prefix));
    if (path.empty()) return least;
  }
}

}  // namespace

std::int64_t left_in_groups(const std::string& list, const std::string& mount) {
  std::ifstream in(list);
  std::int64_t least = unlimited;
  for (std::string line; std::getline(in, line);) {  // version 2 ("0::/path") or 1 ("7:memory:/path")
    const std::string path = line.substr(std::min(line.size(), line.find('/')));
    if (line.starts_with("0::")) least = std::min(least, left_up_from(path, mount, "/memory.max", "/memory.current", ""));
    else if (line.find(":memory:") != line.npos)
      least = std::min(least, left_up_from(path, mount + "/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_"));
  }
  return least;
}

std::int64_t total_bytes() { return bytes_of("/proc/meminfo", "MemTotal:"); }
std::int64_t available_bytes() { return std::min(bytes_of("/proc/meminfo", "MemAvailable:"), left_in_groups()); }
std::int64_t peak_bytes() { return bytes_of("/proc/self/status", "VmHWM:"); }
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

void check(const std::string& what, std::int64_t n, int d, std::size_t value_bytes, const std::string& advice) {
  const double need = double(n) * d * double(value_bytes), have = double(available_bytes());
  if (have > 0 && need > have)
    throw UserError("{}: {} x {} values take {:.3g} GiB, {:.3g} GiB of memory are free{}", what, n, d, need / (1 << 30), have / (1 << 30), advice);
}

}  // namespace km::memory

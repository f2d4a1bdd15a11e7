// Reads Linux's files about the machine and processes, below /proc and /sys.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace km {

/// Returns the rest of a file's first line that starts with `key`, or "".
inline std::string rest_of_line(const std::filesystem::path& path, std::string_view key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) return line.substr(key.size());
  return "";
}

inline std::string first_line(const std::filesystem::path& path) { return rest_of_line(path, ""); }

/// Returns the number with which a file begins, or nothing.
template <class Number>
std::optional<Number> number_in(const std::filesystem::path& file) {
  Number value{};
  if (std::ifstream in(file); in >> value) return value;
  return std::nullopt;
}

/// Returns the folders of a process's threads; none if it has ended.
inline std::vector<std::filesystem::path> tasks_of(const std::filesystem::path& process = "/proc/self") {
  std::vector<std::filesystem::path> tasks;
  std::error_code failed;
  for (auto task = std::filesystem::directory_iterator(process / "task", failed); !failed && task != std::filesystem::directory_iterator();
       task.increment(failed))
    tasks.push_back(task->path());
  return tasks;
}

/// Returns the first "key : value" line's value of /proc/cpuinfo, or "unknown".
inline std::string cpuinfo(const std::string& key) {
  const std::string rest = rest_of_line("/proc/cpuinfo", key);
  const auto colon = rest.find(": ");
  return colon == rest.npos ? "unknown" : rest.substr(colon + 2);
}

/// The runnable threads of the machine, this one included: the fourth word of /proc/loadavg, "running/all".
inline int running_threads(const std::string& loadavg = first_line("/proc/loadavg")) {
  int running = 0;
  std::sscanf(loadavg.c_str(), "%*s %*s %*s %d", &running);
  return running;
}

}  // namespace km

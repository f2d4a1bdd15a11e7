// Reads what Linux tells of machine and processes: files below /proc and /sys.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace km {

/// Returns the first line of a file, or "".
std::string first_line(const std::filesystem::path& path);

/// Returns the rest of a file's first line that starts with `key`, or "".
std::string rest_of_line(const std::filesystem::path& path, std::string_view key);

/// Returns the first "key : value" line's value of /proc/cpuinfo, or "unknown".
std::string cpuinfo(const std::string& key);

}  // namespace km

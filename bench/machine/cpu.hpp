// The processor, as Linux describes it.
#pragma once

#include <filesystem>
#include <string>

namespace km {

/// Returns the first line of a file, or "".
std::string first_line(const std::filesystem::path& path);

/// Returns the first "key : value" line's value of /proc/cpuinfo, or "unknown".
std::string cpuinfo(const std::string& key);

}  // namespace km

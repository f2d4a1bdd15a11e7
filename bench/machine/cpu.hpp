// What Linux says of the processor.
#pragma once

#include <filesystem>
#include <string>

namespace km {

/// The first line of a file; "" where there is none.
std::string first_line(const std::filesystem::path& path);

/// The value of the first "key : value" line of /proc/cpuinfo; "unknown" where there is none.
std::string cpuinfo(const std::string& key);

}  // namespace km

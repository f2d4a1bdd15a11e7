// Writes a file completely or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>

namespace km {

/// Replaces the file, through a link the one it names, by what fill(stream) writes. Throws UserError; what was there then stays. A device or pipe gets
/// the text directly.
void write_whole(const std::filesystem::path& path, const std::function<void(std::ostream&)>& fill);
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace km

// A TOML file, read with care: the parser recurses, so that depth is counted before it begins.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <string_view>

namespace km {

/// Throws UserError, with file and line, for what is no regular file, too long, no text, too deep or no TOML.
toml::table read_toml(const std::filesystem::path& file);
/// The same of text that came from `file`.
toml::table parse_toml(std::string_view text, const std::filesystem::path& file);

/// "papers/x/y.toml, line 7: …".
[[noreturn]] void refuse(const std::filesystem::path& file, const toml::node& node, std::string_view what);

/// The value of a key, empty where it is absent. Throws UserError where it is of another type, out of range, or text with control characters.
std::string text_of(const std::filesystem::path& file, const toml::table& table, std::string_view key);
std::optional<std::int64_t> whole_of(const std::filesystem::path& file, const toml::table& table, std::string_view key, std::int64_t low,
                                     std::int64_t high);

}  // namespace km

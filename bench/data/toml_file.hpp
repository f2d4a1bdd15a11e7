// Reads a TOML file. Checks the nesting depth first, because the parser recurses.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "bench/base/error.hpp"

namespace km {

/// Throws UserError with file and line for a file that is not regular, too long, no text, too deep or no TOML.
toml::table read_toml(const std::filesystem::path& file);

/// Throws UserError: "papers/x/y.toml, line 7: …".
[[noreturn]] void refuse(const std::filesystem::path& file, const toml::node& node, std::string_view what);
template <class... Args>
requires(sizeof...(Args) > 0)
    [[noreturn]] void refuse(const std::filesystem::path& file, const toml::node& node, fmt::format_string<Args...> what, Args&&... args) {
  refuse(file, node, fmt::format(what, std::forward<Args>(args)...));
}

/// Returns a key's value, or empty if absent. Throws UserError if it has another type, is out of range, or is text with control characters.
std::string text_of(const std::filesystem::path& file, const toml::table& table, std::string_view key);
std::optional<std::int64_t> whole_of(const std::filesystem::path& file, const toml::table& table, std::string_view key, std::int64_t low,
                                     std::int64_t high);

}  // namespace km

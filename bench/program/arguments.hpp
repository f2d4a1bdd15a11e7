// Checks the command line's texts and numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace km {

/// Throws UserError for an argument that is empty, not text, or implausibly long.
void check_arguments(const std::vector<std::string>& arguments);

/// Parses an integer from low to high. Throws UserError naming the flag.
std::int64_t whole_number(std::string_view flag, const std::string& text, std::int64_t low, std::int64_t high);

/// The same for any number; NaN is out of range.
double number(std::string_view flag, const std::string& text, double low, double high);

/// Splits "name=value". Throws UserError if either part is missing.
std::pair<std::string, std::string> assignment(std::string_view flag, const std::string& text);

/// Throws UserError if this file could not be written in the end: a folder has its name, or its folder does not exist.
void check_out_file(std::string_view flag, const std::filesystem::path& file);

/// Throws UserError for an invalid folder name: letters, digits, '-', '_' and '.' are allowed, but not '.' first.
void check_name(std::string_view flag, std::string_view name);

}  // namespace km

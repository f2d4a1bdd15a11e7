// The command line's texts: what no argument can be, and numbers in their range.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace km {

/// Throws UserError for an argument that is empty, not text, or longer than anybody types.
void check_arguments(const std::vector<std::string>& arguments);

/// Throws UserError, naming the flag, for what is no whole number from low to high.
std::int64_t whole_number(std::string_view flag, const std::string& text, std::int64_t low, std::int64_t high);

/// Likewise for any number; NaN lies in no range.
double number(std::string_view flag, const std::string& text, double low, double high);

/// "name=value" in two. Throws UserError where either is missing.
std::pair<std::string, std::string> assignment(std::string_view flag, const std::string& text);

/// Throws UserError where this file could not be written in the end: a folder in its place, none to put it in.
void check_out_file(std::string_view flag, const std::filesystem::path& file);

/// Throws UserError for what cannot be a folder's name: letters, digits, '-', '_' and '.' are accepted, not '.' first.
void check_name(std::string_view flag, std::string_view name);

}  // namespace km

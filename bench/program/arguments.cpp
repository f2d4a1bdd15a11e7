#include "bench/program/arguments.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "bench/base/error.hpp"
#include "bench/plan/sweep.hpp"

namespace km {

void check_arguments(const std::vector<std::string>& arguments) {
  constexpr std::size_t most_bytes = 4096;
  for (const auto& argument : arguments) {
    if (argument.empty()) throw UserError("an argument is empty: leave out a flag that has no value");
    if (argument.size() > most_bytes) throw UserError(fmt::format("an argument of {} bytes; accepted: up to {}", argument.size(), most_bytes));
    if (!is_text(argument)) throw UserError(fmt::format("argument '{}': not UTF-8, or with control characters", argument));
    if (argument.starts_with("--") && argument.ends_with('=') && argument.find('=') + 1 == argument.size())
      throw UserError(fmt::format("{} has no value", argument.substr(0, argument.size() - 1)));
  }
}

std::int64_t whole_number(std::string_view flag, const std::string& text, std::int64_t low, std::int64_t high) {
  const auto value = parse_scalar(text);
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (!whole || *whole < low || *whole > high)
    throw UserError(fmt::format("{} must be a whole number from {} to {}, not '{}'", flag, low, high, text));
  return *whole;
}

double number(std::string_view flag, const std::string& text, double low, double high) {
  const auto value = number_of(parse_scalar(text));
  if (!value || *value < low || *value > high) throw UserError(fmt::format("{} must be a number from {} to {}, not '{}'", flag, low, high, text));
  return *value;
}

std::pair<std::string, std::string> assignment(std::string_view flag, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size()) throw UserError(fmt::format("{} '{}' is not name=value", flag, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void check_out_file(std::string_view flag, const std::filesystem::path& file) {
  const auto refuse = [&](std::string_view why) { return UserError(fmt::format("{} {}: {}", flag, file.string(), why)); };
  std::error_code error;
  const bool there = std::filesystem::exists(file, error);
  if (error) throw refuse(error.message());
  if (there && !std::filesystem::is_regular_file(file, error) && !std::filesystem::is_character_file(file, error)) throw refuse("not a regular file");
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, error)) throw refuse(fmt::format("no folder {}", folder.string()));
  if (::access(there ? file.c_str() : folder.c_str(), W_OK) != 0) throw refuse("not to be written to");
}

void check_name(std::string_view flag, std::string_view name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; };
  if (name.empty() || name.size() > 100 || name[0] == '.' || !std::ranges::all_of(name, fits))
    throw UserError(fmt::format("{} '{}': up to 100 letters, digits, '-', '_' and '.', and not '.' first", flag, name));
}

}  // namespace km

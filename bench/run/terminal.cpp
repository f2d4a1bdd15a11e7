#include "bench/run/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "bench/base/text.hpp"

namespace km {
namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const auto bytes = std::max<std::size_t>(1, character_bytes(text));
    characters.push_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return characters;
}

}  // namespace

int columns_of(std::FILE* file) {
  winsize size{};
  if (!::isatty(::fileno(file))) return 0;
  return ::ioctl(::fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool wants_colour(std::FILE* file) {
  const char* refused = std::getenv("NO_COLOR");
  return ::isatty(::fileno(file)) && (refused == nullptr || *refused == '\0');
}

std::string coloured(std::string_view text, Colour colour) {
  return colour == Colour::none ? std::string(text) : fmt::format("\033[{}m{}\033[0m", int(colour), text);
}

std::size_t characters(std::string_view text) { return split(text).size(); }

std::string fitted(std::string_view text, std::size_t columns) {
  const auto characters = split(text);
  const std::size_t kept = columns == 0 ? 0 : columns - 1, front = (kept + 1) / 2;
  std::string shown;
  for (std::size_t at = 0; at < characters.size(); ++at) {
    if (characters.size() > columns && at == front) shown += columns > 0 ? "…" : "";
    if (characters.size() <= columns || at < front || at >= characters.size() - (kept - front)) shown += characters[at];
  }
  return shown;
}

std::string beginning(std::string_view text, std::size_t columns) {
  const auto characters = split(text);
  if (characters.size() <= columns) return std::string(text);
  std::string shown;
  for (std::size_t at = 0; at + 1 < columns; ++at) shown += characters[at];
  return shown + (columns > 0 ? "…" : "");
}

}  // namespace km

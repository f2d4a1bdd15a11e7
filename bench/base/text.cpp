#include "bench/base/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <span>
#include <sstream>

namespace km {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> to(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        to[i][j] = i + j;
        continue;
      }
      to[i][j] = std::min({to[i - 1][j] + 1, to[i][j - 1] + 1, to[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) to[i][j] = std::min(to[i][j], to[i - 2][j - 2] + 1);
    }
  return to[a.size()][b.size()];
}

std::vector<std::string_view> split_characters(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const auto bytes = std::max<std::size_t>(1, character_bytes(text));
    characters.push_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return characters;
}

/// Shortens text to `columns` characters with "…" before the last `back` of them.
std::string shortened(std::string_view text, std::size_t columns, std::size_t back) {
  const auto all = split_characters(text);
  if (all.size() <= columns) return std::string(text);
  if (columns == 0) return "";
  const std::span shown(all);
  return fmt::format("{}…{}", fmt::join(shown.first(columns - 1 - back), ""), fmt::join(shown.last(back), ""));
}

}  // namespace

std::size_t character_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t at) { return std::uint32_t(static_cast<unsigned char>(text[at])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  std::uint32_t code = first & (0x7fu >> bytes);
  for (std::size_t at = 1; at < bytes; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at) & 0x3f);
  }
  const bool overlong = code < (bytes == 3 ? 0x800u : bytes == 4 ? 0x10000u : 0x80u), surrogate = code >= 0xd800 && code < 0xe000;
  const bool control = code < 0xa0 || code == 0x2028 || code == 0x2029;  // C1 and line separators
  return overlong || surrogate || control || code > 0x10ffff ? 0 : bytes;
}

bool is_text(std::string_view text) {
  while (const std::size_t bytes = character_bytes(text)) text.remove_prefix(bytes);
  return text.empty();
}

std::string one_line(std::string_view text) {
  constexpr std::size_t most = 2000, kept = 900;
  std::string line;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    line.append(bytes ? text.substr(0, bytes) : "?");
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  if (line.size() <= most) return line;
  const auto next_character = [&](std::size_t at) {
    while ((static_cast<unsigned char>(line[at]) & 0xc0) == 0x80) ++at;
    return at;
  };
  return line.substr(0, next_character(kept)) + " … " + line.substr(next_character(line.size() - kept));
}

bool ends_in(std::string_view text, std::string_view suffix) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == b; };
  return text.size() >= suffix.size() && std::ranges::equal(text.substr(text.size() - suffix.size()), suffix, same);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > 100) return "";
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  std::string nearest;
  for (const auto& name : known)
    for (const std::string_view form : {std::string_view(name), std::string_view(name).substr(name.rfind('/') + 1)})
      if (const auto far = distance(word, form); far < least) least = far, nearest = name;
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

std::size_t characters(std::string_view text) { return split_characters(text).size(); }
std::string fitted(std::string_view text, std::size_t columns) { return shortened(text, columns, columns > 0 ? (columns - 1) / 2 : 0); }
std::string beginning(std::string_view text, std::size_t columns) { return shortened(text, columns, 0); }

}  // namespace km

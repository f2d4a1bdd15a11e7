#include "bench/data/toml_file.hpp"

#include <algorithm>

#include "bench/data/file_bytes.hpp"
#include "bench/data/limits.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

template <class... Args>
[[noreturn]] void refuse_line(const fs::path& file, std::int64_t line, fmt::format_string<Args...> what, Args&&... args) {
  throw UserError("{}, line {}: {}", file.string(), line, fmt::format(what, std::forward<Args>(args)...));
}

/// Checks the depth of brackets and dotted keys in one pass. Skips strings and comments.
void check_depth(std::string_view text, const fs::path& file) {
  std::int64_t line = 1;
  int open = 0, parts = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (c == '"' || c == '\'') {
      const std::string three(3, c);
      const bool tall = text.substr(at).starts_with(three);
      for (at += tall ? 3 : 1; at < text.size() && !(tall ? text.substr(at).starts_with(three) : text[at] == c || text[at] == '\n'); ++at) {
        line += text[at] == '\n';
        if (c == '"' && text[at] == '\\') ++at;
      }
      if (at < text.size() && text[at] == '\n') --at;  // unclosed string: the parser reports it
      if (tall) at += 2;
    } else if (c == '.') {
      if (++parts > most_nesting) refuse_line(file, line, "a key of more than {} parts", most_nesting);
    } else if (std::string_view("[]{},=\n").find(c) != std::string_view::npos) {
      parts = 0;
      line += c == '\n';
      open = std::max(0, open + (c == '[' || c == '{') - (c == ']' || c == '}'));
      if (open > most_nesting) refuse_line(file, line, "more than {} brackets within one another", most_nesting);
    }
  }
}

}  // namespace

void refuse(const fs::path& file, const toml::node& node, std::string_view what) { refuse_line(file, node.source().begin.line, "{}", what); }

toml::table read_toml(const fs::path& file) {
  const FileBytes bytes(file, most_toml_bytes + 1);
  const std::string_view text = bytes.view();
  if (text.size() > most_toml_bytes) throw UserError("{}: longer than {} bytes", file.string(), most_toml_bytes);
  check_depth(text, file);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    refuse_line(file, error.source().begin.line, "{}", error.description());
  }
}

std::string text_of(const fs::path& file, const toml::table& table, std::string_view key) {
  const auto* node = table.get(key);
  if (!node) return "";
  if (!node->is_string()) refuse(file, *node, "'{}' must be a text in quotes", key);
  const std::string& text = node->as_string()->get();
  if (!is_text(text)) refuse(file, *node, "'{}' must be one line of text", key);
  return text;
}

std::optional<std::int64_t> whole_of(const fs::path& file, const toml::table& table, std::string_view key, std::int64_t low, std::int64_t high) {
  const auto* node = table.get(key);
  if (!node) return std::nullopt;
  const auto* value = node->as_integer();
  if (!value || value->get() < low || value->get() > high) refuse(file, *node, "'{}' must be a whole number from {} to {}", key, low, high);
  return value->get();
}

}  // namespace km

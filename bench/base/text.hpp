// Validates and shortens text from outside.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace km {

/// Bytes of the UTF-8 character (RFC 3629) at the start of `text`; 0 for invalid or control characters.
std::size_t character_bytes(std::string_view text);
/// True for UTF-8 without control characters. Line breaks and tabs are control characters.
bool is_text(std::string_view text);
/// Returns one line of bounded length: invalid text becomes '?', the middle of a long text "…".
std::string one_line(std::string_view text);
/// True if it ends with the suffix, given in small letters, in capital or small letters.
bool ends_in(std::string_view text, std::string_view suffix);
/// The words between white space.
std::vector<std::string> words_of(const std::string& text);
/// Returns "; did you mean NAME?" for the known name nearest to `word`, whole or after its last '/'. Returns "" if none differs by at most a third of
/// its letters. Distance: insertions, deletions, replacements and swaps of neighbours (Damerau 1964), each letter touched once.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);
/// Number of UTF-8 characters, which is the number of columns.
std::size_t characters(std::string_view text);
/// Shortens text to `columns` characters with "…" in the middle.
std::string fitted(std::string_view text, std::size_t columns);
/// Shortens text to `columns` characters with "…" at the end.
std::string beginning(std::string_view text, std::size_t columns);

}  // namespace km

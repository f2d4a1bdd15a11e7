// Validates and shortens text from outside.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace km {

/// Bytes of the UTF-8 character (RFC 3629) at the start of `text`; 0 for invalid or control characters.
std::size_t character_bytes(std::string_view text);
/// True for UTF-8 without control characters. Line breaks and tabs are control characters.
bool is_text(std::string_view text);
/// Returns one line of bounded length: invalid text becomes '?', the middle of a long text "…".
std::string one_line(std::string_view text);

}  // namespace km

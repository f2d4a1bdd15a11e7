// Text that comes from outside: what counts as text, and how it is shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace km {

/// Bytes of the UTF-8 character that `text` begins with (RFC 3629); 0 where it is none, or a control character.
std::size_t character_bytes(std::string_view text);
/// UTF-8 without control characters. Line breaks and tabs are control characters.
bool is_text(std::string_view text);
/// One line of bounded length, whatever it quotes: what is no text becomes '?', the middle of a long one "…".
std::string one_line(std::string_view text);

}  // namespace km

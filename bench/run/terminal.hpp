// How text is shown: how wide a terminal is, and whether it may be coloured.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace km {

enum class Colour { none = 0, dim = 2, red = 31, green = 32, yellow = 33 };

/// Columns of the terminal behind this file; 0 where it is none.
int columns_of(std::FILE* file);
/// Is this file a terminal, and NO_COLOR (https://no-color.org) not set?
bool wants_colour(std::FILE* file);

std::string coloured(std::string_view text, Colour colour);
/// How many characters a text has: as many columns.
std::size_t characters(std::string_view text);
/// Text of at most so many characters, the middle left out with "…" where it is longer.
std::string fitted(std::string_view text, std::size_t columns);
/// The same, with the end left out.
std::string beginning(std::string_view text, std::size_t columns);

}  // namespace km

// Terminal width, colours and fitting of text.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace km {

enum class Colour { none = 0, dim = 2, red = 31, green = 32, yellow = 33 };

/// Width of the terminal behind this file; 0 if it is none.
int columns_of(std::FILE* file);
/// True if this file is a terminal and NO_COLOR (https://no-color.org) is not set.
bool wants_colour(std::FILE* file);

std::string coloured(std::string_view text, Colour colour);
/// Number of UTF-8 characters, which is the number of columns.
std::size_t characters(std::string_view text);
/// Shortens text to `columns` characters with "…" in the middle.
std::string fitted(std::string_view text, std::size_t columns);
/// Shortens text to `columns` characters with "…" at the end.
std::string beginning(std::string_view text, std::size_t columns);

}  // namespace km

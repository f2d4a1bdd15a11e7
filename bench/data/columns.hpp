// Columns of a table, chosen by name or number.
#pragma once

#include <string>
#include <vector>

namespace km {

/// Returns the columns to keep, from 0, ascending. keep, skip: lists such as "1,3-5" (from 1) or "width,height"; empty keep: all, empty skip: none.
/// names: of the header, or empty. Throws UserError for an unknown column, or if none is left.
std::vector<int> chosen_columns(const std::string& keep, const std::string& skip, const std::vector<std::string>& names, int columns);

}  // namespace km

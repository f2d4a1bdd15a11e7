#include "bench/data/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "bench/base/error.hpp"

namespace km {
namespace {

std::optional<int> column_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Marks the columns of one list.
std::vector<bool> listed(std::string_view flag, const std::string& list, const std::vector<std::string>& names, int columns) {
  std::vector<bool> marked(std::size_t(columns), list.empty());
  if (list.empty()) return marked;
  for (std::size_t from = 0; from <= list.size();) {
    const auto end = std::min(list.find(',', from), list.size());
    const std::string item = list.substr(from, end - from);
    from = end + 1;
    int first = 0, last = 0;
    const auto dash = item.find('-', 1);
    if (const auto named = std::ranges::find(names, item); !item.empty() && named != names.end()) {
      first = last = int(named - names.begin()) + 1;
    } else if (const auto one = column_number(item)) {
      first = last = *one;
    } else if (dash != item.npos) {
      first = column_number(item.substr(0, dash)).value_or(0);
      last = column_number(item.substr(dash + 1)).value_or(0);
    }
    if (first < 1 || last < first || last > columns)
      throw UserError(fmt::format("{} '{}': no such column; there are 1 to {}{}", flag, one_line(item), columns,
                                  names.empty() ? "" : one_line(fmt::format(": {}", fmt::join(names, ", ")).substr(0, 300))));
    std::fill(marked.begin() + first - 1, marked.begin() + last, true);
  }
  return marked;
}

}  // namespace

std::vector<int> chosen_columns(const std::string& keep, const std::string& skip, const std::vector<std::string>& names, int columns) {
  const auto kept = listed("--columns", keep, names, columns);
  const auto skipped = skip.empty() ? std::vector<bool>(std::size_t(columns)) : listed("--skip-columns", skip, names, columns);
  std::vector<int> chosen;
  for (int j = 0; j < columns; ++j)
    if (kept[std::size_t(j)] && !skipped[std::size_t(j)]) chosen.push_back(j);
  if (chosen.empty()) throw UserError("--skip-columns leaves no column");
  return chosen;
}

}  // namespace km

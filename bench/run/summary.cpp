// The table printed after a run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "bench/run/result.hpp"
#include "bench/run/terminal.hpp"
#include "bench/statistics.hpp"

namespace km {
namespace {

/// A column: its title, whether it holds numbers, and how narrow its words may become.
struct Column {
  const char* title;
  bool right = false;
  std::size_t least = 0;  // 0: never shortened
};
constexpr std::array<Column, 11> all_columns = {{{"implementation", false, 16},
                                                 {"parameters", false, 10},
                                                 {"data", false, 8},
                                                 {"n", true},
                                                 {"d", true},
                                                 {"k", true},
                                                 {"prec"},
                                                 {"iters", true},
                                                 {"ms/iter", true},
                                                 {"min", true},
                                                 {"verdict", false, 12}}};
using Row = std::array<std::string, all_columns.size()>;
using Widths = std::array<std::size_t, all_columns.size()>;

Row row_of(const Json& line) {
  std::string parameters;
  for (const auto& [key, value] : line["parameters"].items())
    parameters += (parameters.empty() ? "" : " ") + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
  std::vector<double> samples = line["samples_s"];
  std::string time, least, verdict = line["grade"].is_string() ? line["grade"].get<std::string>() : "right";
  for (const char* field : {"verdict", "skip", "failure"})
    if (line[field].is_string() && !line[field].get<std::string>().empty())
      verdict = (field == std::string_view("verdict") ? "wrong: " : fmt::format("{}: ", field)) + line[field].get<std::string>();
  if (!samples.empty()) {
    const double iters = line["iterations"];
    time = fmt::format("{:.3f}", median(samples) / iters * 1e3);
    least = fmt::format("{:.3f}", std::ranges::min(samples) / iters * 1e3);
  }
  return {line["implementation"],
          parameters,
          line["dataset"]["name"],
          line["n"].dump(),
          line["d"].dump(),
          line["k"].dump(),
          line["precision"],
          line["iterations"].is_null() ? "" : line["iterations"].dump(),
          time,
          least,
          verdict};
}

/// Of every column its longest cell; where that is more than there is room for, the widest words give way first, one character at a time.
Widths widths_of(const std::vector<Row>& rows, std::size_t room) {
  Widths widths{};
  for (const auto& row : rows)
    for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], characters(row[at]));
  std::size_t total = 2 * (widths.size() - 1);
  for (const auto width : widths) total += width;
  for (; room > 0 && total > room; --total) {
    std::size_t widest = widths.size();
    for (std::size_t at = 0; at < widths.size(); ++at)
      if (all_columns[at].least > 0 && widths[at] > all_columns[at].least && (widest == widths.size() || widths[at] > widths[widest])) widest = at;
    if (widest == widths.size()) break;  // narrower than anything can be shown in
    --widths[widest];
  }
  return widths;
}

}  // namespace

std::string summary_table(const std::vector<Json>& lines, int columns) {
  std::vector<Row> rows(1);
  for (std::size_t at = 0; at < all_columns.size(); ++at) rows[0][at] = all_columns[at].title;
  for (const auto& line : lines) rows.push_back(row_of(line));
  const Widths widths = widths_of(rows, columns > 0 ? std::size_t(columns) : 0);
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t at = 0; at < row.size(); ++at) {
      const std::string cell = fitted(row[at], widths[at]), space(widths[at] - characters(cell), ' ');
      const bool last = at + 1 == row.size();
      text += all_columns[at].right ? space + cell : last ? cell : cell + space;
      text += last ? "\n" : "  ";
    }
  }
  return text;
}

}  // namespace km

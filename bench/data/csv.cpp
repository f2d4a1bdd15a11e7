#include "bench/data/csv.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "bench/base/error.hpp"
#include "bench/data/file_bytes.hpp"
#include "bench/data/limits.hpp"

namespace km {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trim(std::string_view s) {
  const auto first = s.find_first_not_of(blanks);
  return first == s.npos ? std::string_view() : s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

std::string_view unquoted(std::string_view cell) {
  const bool quoted = cell.size() > 1 && cell.front() == '"' && cell.back() == '"';
  return quoted ? trim(cell.substr(1, cell.size() - 2)) : cell;
}

/// Parses a finite decimal number with at most one sign. Rejects nan, inf, 1e999 and 0x10; underflow gives 0.
bool parse(std::string_view cell, double& value) {
  const char* const end = cell.data() + cell.size();
  if (cell.starts_with('+')) {
    cell.remove_prefix(1);
    if (cell.starts_with('-')) return false;
  }
  const auto [at, error] = std::from_chars(cell.data(), end, value);
  if (at != end) return false;
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(cell).c_str(), nullptr);
  return error != std::errc::invalid_argument && std::isfinite(value);
}

/// True for a decimal number past fp64, of those that parse() rejects.
bool too_large(std::string_view cell) {
  double value;
  return std::from_chars(cell.data(), cell.data() + cell.size(), value).ec == std::errc::result_out_of_range;
}

/// True for a column's name: empty, or starting with a letter of any script. Words for missing or infinite values are no names.
bool is_name(std::string_view cell) {
  static const re2::RE2 value("(?i)nan|na|n/a|null|none|inf|infinity");
  if (re2::RE2::FullMatch(re2::StringPiece(cell.data(), cell.size()), value)) return false;
  for (const char* block : {"\xc2", "\xd9\xa0", "\xd9\xa1", "\xe2\x80", "\xe2\x88", "\xef\xbb", "\xef\xbc"})  // Latin-1 signs, − and –, wide digits
    if (cell.starts_with(block)) return false;
  return cell.empty() || std::isalpha(static_cast<unsigned char>(cell[0])) || cell[0] == '_' || static_cast<unsigned char>(cell[0]) >= 0x80;
}

/// Calls use(column, cell) for each cell of a line until it returns false. Runs of spaces separate once; quoted text is not split.
template <class Use>
void for_cells(std::string_view line, char separator, Use use) {
  line = separator == '\t' ? line.substr(0, line.find_last_not_of('\r') + 1) : trim(line);
  for (int column = 0;; ++column) {
    const auto first = line.find_first_not_of(" ");
    const auto from = first != line.npos && line[first] == '"' ? std::min(line.find('"', first + 1), line.size()) : 0;
    const auto end = line.find(separator, from);
    if (!use(column, unquoted(trim(line.substr(0, end)))) || end == line.npos) return;
    line.remove_prefix(end + 1);
    if (separator == ' ') line = trim(line);
  }
}

struct Lines {
  std::vector<std::string_view> rows;  // without blank lines, comments and header
  std::vector<std::string> names;      // of the header, if there is one
  char separator = ',';
  int columns = 0;
};

/// Number of the line that begins at `row`, from 1.
std::int64_t line_number(std::string_view text, const char* row) { return 1 + std::count(text.data(), row, '\n'); }

Lines split(std::string_view text, const std::string& path) {
  Lines lines;
  const std::string_view all = text;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) throw UserError(path + ": UTF-16; save it as UTF-8");
  while (!text.empty()) {
    const auto line = text.substr(0, text.substr(0, most_line_bytes + 1).find('\n'));
    if (line.size() > most_line_bytes)
      throw UserError("{}: line {}: a line of more than {} bytes", path, line_number(all, line.data()), most_line_bytes);
    if (!trim(line).empty() && !trim(line).starts_with('#')) lines.rows.push_back(line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  if (lines.rows.empty()) throw UserError(path + ": no rows");
  const auto first = lines.rows[0];
  for (const char candidate : {' ', '\t', ';', ','})
    if (trim(first).find(candidate) != first.npos) lines.separator = candidate;
  bool header = true, named = false;
  for_cells(first, lines.separator, [&](int column, std::string_view cell) {
    header &= is_name(cell);
    named |= !cell.empty();
    lines.columns = column + 1;
    lines.names.emplace_back(cell);
    return true;
  });
  if (lines.columns > most_dimensions) throw UserError("{}: {} columns; accepted: up to {}", path, lines.columns, most_dimensions);
  if (header && named) lines.rows.erase(lines.rows.begin());
  else lines.names.clear();
  if (lines.rows.empty()) throw UserError(path + ": a header and no rows");
  return lines;
}

}  // namespace

DatasetShape csv_shape(const std::filesystem::path& path) {
  const FileBytes file(path);
  const Lines lines = split(file.view(), path.string());
  return {std::int64_t(lines.rows.size()), lines.columns};
}

std::vector<std::string> csv_names(const std::filesystem::path& path) {
  const FileBytes file(path);
  return split(file.view(), path.string()).names;
}

template <class T>
Values<T> read_csv(const std::filesystem::path& path, std::int64_t n, const std::vector<int>& columns) {
  const FileBytes file(path);
  const Lines lines = split(file.view(), path.string());
  if (n > std::int64_t(lines.rows.size())) throw UserError("{}: {} rows, {} are needed", path.string(), lines.rows.size(), n);
  const int d = columns.empty() ? lines.columns : int(columns.size());
  std::vector<int> place(std::size_t(lines.columns), columns.empty() ? 0 : -1);  // of a column in the result; -1: left out
  if (columns.empty()) std::iota(place.begin(), place.end(), 0);
  for (std::size_t at = 0; at < columns.size(); ++at) place[std::size_t(columns[at])] = int(at);
  Values<T> out = make_values<T>(std::size_t(n) * std::size_t(d));
  std::int64_t bad_row = std::numeric_limits<std::int64_t>::max();  // the first bad row, whichever thread finds it
  std::string complaint;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto complain = [&](const std::string& what) {
#pragma omp critical(km_csv)
      if (i < bad_row) {
        bad_row = i;
        complaint = fmt::format("{}: line {}, {}", path.string(), line_number(file.view(), lines.rows[std::size_t(i)].data()), what);
      }
      return false;
    };
    int seen = 0;
    bool fine = true;
    for_cells(lines.rows[std::size_t(i)], lines.separator, [&](int j, std::string_view cell) {
      double value;
      if (j >= lines.columns) return fine = complain(fmt::format("column {}: the first row has {} columns", j + 1, lines.columns));
      ++seen;
      if (place[std::size_t(j)] < 0) return true;
      if (!parse(cell, value))
        return fine = complain(fmt::format("column {}: '{}' is {}", j + 1, cell, too_large(cell) ? "past fp64" : "not a number"));
      out[std::size_t(i * d + place[std::size_t(j)])] = T(value);
      return true;
    });
    if (fine && seen < lines.columns) complain(fmt::format("column {}: missing, the first row has {} columns", seen + 1, lines.columns));
  }
  if (!complaint.empty()) throw UserError(complaint);
  return out;
}

template Values<float> read_csv(const std::filesystem::path&, std::int64_t, const std::vector<int>&);
template Values<double> read_csv(const std::filesystem::path&, std::int64_t, const std::vector<int>&);

}  // namespace km

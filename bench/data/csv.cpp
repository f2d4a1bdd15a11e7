#include "bench/data/csv.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "bench/data/file_bytes.hpp"
#include "bench/error.hpp"

namespace km {
namespace {

std::string_view trim(std::string_view s) {
  const auto first = s.find_first_not_of(" \t\r\"");
  return first == s.npos ? std::string_view() : s.substr(first, s.find_last_not_of(" \t\r\"") - first + 1);
}

bool parse(std::string_view cell, double& value) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(cell).c_str(), nullptr);  // 0 or infinite
  return error != std::errc::invalid_argument && end == cell.data() + cell.size();
}

/// use(column, cell) for each cell of a line, until it says no. Runs of spaces separate once.
template <class Use>
void for_cells(std::string_view line, char separator, Use use) {
  line = trim(line);
  for (int column = 0;; ++column) {
    const auto end = line.find(separator);
    if (!use(column, trim(line.substr(0, end))) || end == line.npos) return;
    line.remove_prefix(end + 1);
    if (separator == ' ') line = trim(line);
  }
}

struct Lines {
  std::vector<std::string_view> rows;   // blank lines and the header left out
  char separator = ',';
  int columns = 0;
};

Lines split(std::string_view text, const std::string& path) {
  Lines lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (!trim(text.substr(0, end)).empty()) lines.rows.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lines.rows.empty()) throw UserError(path + ": no rows");
  for (const char candidate : {' ', '\t', ';', ','})
    if (trim(lines.rows[0]).find(candidate) != std::string_view::npos) lines.separator = candidate;
  bool header = true;
  for_cells(lines.rows[0], lines.separator, [&](int column, std::string_view cell) {
    double ignored;
    header &= !parse(cell, ignored);
    lines.columns = column + 1;
    return true;
  });
  if (header) lines.rows.erase(lines.rows.begin());
  if (lines.rows.empty()) throw UserError(path + ": a header and no rows");
  return lines;
}

}  // namespace

DatasetShape csv_shape(const std::filesystem::path& path) {
  const FileBytes file(path);
  const Lines lines = split(file.view(), path.string());
  return {std::int64_t(lines.rows.size()), lines.columns};
}

template <class T>
std::unique_ptr<T[]> read_csv(const std::filesystem::path& path, std::int64_t n) {
  const FileBytes file(path);
  const Lines lines = split(file.view(), path.string());
  const int d = lines.columns;
  std::unique_ptr<T[]> out(new T[std::size_t(n) * std::size_t(d)]);
  std::int64_t bad_row = std::numeric_limits<std::int64_t>::max();   // the first, whichever thread meets it
  std::string complaint;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto complain = [&](const std::string& what) {
#pragma omp critical(km_csv)
      if (i < bad_row) {
        bad_row = i;
        complaint = fmt::format("{}: row {}, {}", path.string(), i + 1, what);
      }
      return false;
    };
    int filled = 0;
    for_cells(lines.rows[std::size_t(i)], lines.separator, [&](int j, std::string_view cell) {
      double value;
      if (j >= d) return complain(fmt::format("column {}: the first row has {} columns", j + 1, d));
      if (!parse(cell, value)) return complain(fmt::format("column {}: '{}' is not a number", j + 1, cell));
      out[std::size_t(i * d + j)] = T(value);
      ++filled;
      return true;
    });
    if (filled < d) complain(fmt::format("column {}: missing, the first row has {} columns", filled + 1, d));
  }
  if (!complaint.empty()) throw UserError(complaint);
  return out;
}

template std::unique_ptr<float[]> read_csv(const std::filesystem::path&, std::int64_t);
template std::unique_ptr<double[]> read_csv(const std::filesystem::path&, std::int64_t);

}  // namespace km

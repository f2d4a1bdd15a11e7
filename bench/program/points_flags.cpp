#include "bench/program/points_flags.hpp"

#include <fmt/ranges.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>

#include "bench/base/error.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/data/csv.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

/// The ending of the file that begins with these bytes.
std::string ending_of(std::string_view begin) {
  if (begin.starts_with("\x93NUMPY")) return ".npy";
  if (begin.starts_with("PK")) return ".npz";
  return begin.starts_with("\3757zXZ") ? ".npy.xz" : ".csv";
}

/// Copies standard input to a file.
fs::path copy_of_input(const fs::path& folder) {
  if (::isatty(STDIN_FILENO)) throw UserError("-: standard input is a terminal; pipe a file into it");
  std::string buffer(std::size_t{1} << 20, '\0');
  fs::path path;
  std::ofstream out;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), stdin)) > 0;) {
    if (path.empty()) out.open(path = folder / ("stdin" + ending_of({buffer.data(), got})), std::ios::binary);
    if (!out.write(buffer.data(), std::streamsize(got))) throw UserError("cannot write {}", path.string());
  }
  if (path.empty()) throw UserError("-: standard input is empty");
  if (!out.flush()) throw UserError("cannot write {}", path.string());
  return path;
}

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
      throw UserError("{} '{}': no such column; there are 1 to {}{}", flag, one_line(item), columns,
                      names.empty() ? "" : one_line(fmt::format(": {}", fmt::join(names, ", ")).substr(0, 300)));
    std::fill(marked.begin() + first - 1, marked.begin() + last, true);
  }
  return marked;
}

/// Writes the chosen columns of a file as .npy.
template <class T>
fs::path columns_of_file(const fs::path& file, const PointsFlags& flags, const fs::path& folder) {
  const DatasetShape shape = file_shape(file);
  const bool text = is_text_table(file);
  const auto columns = chosen_columns(flags.columns, flags.skip_columns, text ? csv_names(file) : std::vector<std::string>{}, shape.d);
  const auto d = std::ssize(columns);
  const fs::path made = folder / (table_stem(file) + ".npy");
  if (text) {
    const auto values = read_csv<T>(file, shape.n, columns);
    write_npy<T>(made, {values.get(), std::size_t(shape.n * d)}, shape.n, int(d));
    return made;
  }
  auto values = read_file<T>(file, shape.n);
  for (std::int64_t i = 0; i < shape.n; ++i)  // in place: a value moves towards the front
    for (std::int64_t j = 0; j < d; ++j) values[std::size_t(i * d + j)] = values[std::size_t(i * shape.d + columns[std::size_t(j)])];
  write_npy<T>(made, {values.get(), std::size_t(shape.n * d)}, shape.n, int(d));
  return made;
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

Options PointsFlags::options() {
  return {{"points", &points, "A .npy, .npz, .npy.xz, .csv, .tsv or .txt file of points, - for standard input, or a data set by name", {}, true},
          {"--columns", &columns, "Only these columns of a file: numbers from 1, ranges, names of a text file's header (1,3-5 or width,height)"},
          {"--skip-columns", &skip_columns, "All columns but these, such as a class"}};
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

const fs::path& ScratchFolder::path() {
  if (!path_.empty()) return path_;
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "kmbench-XXXXXX").string();
  if (error || !::mkdtemp(name.data())) throw UserError("no folder for temporary files: set TMPDIR");
  return path_ = name;
}

void name_points(const PointsFlags& flags, ProblemFlags& problem, ScratchFolder& scratch) {
  const bool some = !flags.columns.empty() || !flags.skip_columns.empty();
  fs::path file = flags.points == "-" ? copy_of_input(scratch.path()) : fs::path(flags.points);
  std::error_code error;
  const bool by_name = !fs::exists(file, error);
  if (by_name && some) throw UserError("--columns choose from a file; {} is none", flags.points);
  try {
    const Entry entry = find_entry(by_name ? flags.points : fs::absolute(file).string());
    if (problem.precision.empty() && !entry.generator) problem.precision = own_value_bytes(entry.file) == 4 ? "fp32" : "fp64";
  } catch (const Missing&) {  // the plan says so
  }
  if (some)
    file = problem.precision == "fp32" ? columns_of_file<float>(file, flags, scratch.path()) : columns_of_file<double>(file, flags, scratch.path());
  (by_name ? problem.dataset : problem.data) = file.string();
}

}  // namespace km

// Formats the table printed after a run.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/base/statistics.hpp"
#include "bench/base/text.hpp"
#include "bench/run/result.hpp"
#include "bench/run/timing.hpp"

namespace km {
namespace {

struct Column {
  const char* title;
  bool right = false;
  std::size_t least = 0;  // least width; 0: never shortened
};
using Columns = std::vector<Column>;
const Columns case_columns = {{"implementation", false, 13},
                              {"parameters", false, 10},
                              {"data", false, 8},
                              {"n", true},
                              {"d", true},
                              {"k", true},
                              {"prec"},
                              {"iters", true},
                              {"ms/iter", true},
                              {"min ms", true},
                              {"verdict", false, 12}};
const Columns exhibit_columns = {{"exhibit", false, 16}, {"cases", true},  {"right", true},   {"coarse", true},
                                 {"wrong", true},        {"failed", true}, {"skipped", true}, {"disturbed", true}};
using Row = std::vector<std::string>;
using Widths = std::vector<std::size_t>;

std::string assigned(const std::string& key, const Json& value) {
  return key + "=" + (value.is_string() ? value.get<std::string>() : value.is_null() ? "none" : value.dump());
}

/// Settings that distinguish cases and have no column: of the generator, the start and the stop rule. By name, such as "sigma2=0.1".
std::map<std::string, std::string> settings_of(const Json& line) {
  std::map<std::string, std::string> all;
  const auto add = [&](const std::string& name, const Json& value) { all[name] = assigned(name, value); };
  if (const Json generator = line["dataset"].value("generator", Json()); generator.is_object())
    for (const auto& [name, value] : generator.items()) add(name, value);
  if (const Json init = line.value("init", Json()); init.is_object()) {
    add("init", init.value("method", Json()));
    add("init_seed", init.value("seed", Json()));
  }
  add("tolerance", line.value("tolerance", Json()));
  add("iterations", line.value("max_iters", Json()));
  return all;
}

using Telling = std::map<std::string, std::set<std::string>>;  // names of settings, by data set

/// Returns the settings that differ between lines of a data set. Measured lines list all settings of their generator. Unmeasured lines list only those
/// of their sweep, so that a setting also differs if only some of them have it.
Telling telling_settings(const std::vector<Json>& lines) {
  struct Found {
    std::set<std::string> values;
    int unmeasured = 0;  // lines that have it
  };
  std::map<std::string, std::map<std::string, Found>> found;  // by data set and setting
  std::map<std::string, int> unmeasured;                      // lines, by data set
  for (const auto& line : lines) {
    const std::string dataset = line["dataset"]["name"];
    const bool measured = line["verdict"].is_string();
    unmeasured[dataset] += !measured;
    for (const auto& [name, text] : settings_of(line)) {
      found[dataset][name].values.insert(text);
      found[dataset][name].unmeasured += !measured;
    }
  }
  Telling telling;
  for (const auto& [dataset, settings] : found)
    for (const auto& [name, all] : settings)
      if (all.values.size() > 1 || (all.unmeasured > 0 && all.unmeasured < unmeasured[dataset])) telling[dataset].insert(name);
  return telling;
}

Row row_of(const Json& line, const std::set<std::string>& settings) {
  std::string parameters;
  for (const auto& [key, value] : line["parameters"].items()) parameters += (parameters.empty() ? "" : " ") + assigned(key, value);
  std::string data = line["dataset"]["name"];
  for (const auto& [name, text] : settings_of(line))
    if (settings.contains(name)) data += " " + text;
  std::string time, least, verdict = reason_of(line);
  if (verdict.empty()) {
    verdict = line["grade"].is_string() ? line["grade"].get<std::string>() : "right";
    time = fmt::format("{:.3f}{}", iteration_s(line) * 1e3, is_disturbed(line) ? "‡" : "");
    least = fmt::format("{:.3f}", std::ranges::min(line["samples_s"].get<std::vector<double>>()) / line["iterations"].get<double>() * 1e3);
  }
  const std::string iters = line["iterations"].is_null() ? "" : line["iterations"].dump();
  Row row = {line["implementation"], parameters, data};
  for (const char* count : {"n", "d", "k"}) row.push_back(line[count].dump());
  row.insert(row.end(), {line["precision"], iters, time, least, verdict});
  return row;
}

std::vector<Row> rows_of_exhibits(const std::vector<Json>& lines) {
  std::map<std::string, std::array<int, 7>> counts;  // in the order of exhibit_columns
  for (const auto& line : lines) {
    auto& [cases, right, coarse, wrong, failed, skipped, disturbed] = counts[line["exhibit"].is_string() ? line["exhibit"].get<std::string>() : ""];
    ++cases;
    skipped += line["skip"].is_string();
    failed += line["failure"].is_string();
    if (!line["verdict"].is_string()) continue;
    ++(line["verdict"] != "" ? wrong : line["grade"] == "coarse" ? coarse : right);
    disturbed += is_disturbed(line);
  }
  std::vector<Row> rows;
  for (const auto& [exhibit, numbers] : counts) {
    rows.push_back({exhibit});
    for (const int number : numbers) rows.back().push_back(std::to_string(number));
  }
  return rows;
}

/// Widths of the longest cells. If the total exceeds `most`, shortens the widest words, one character at a time.
Widths widths_of(const std::vector<Row>& rows, const Columns& columns, std::size_t most) {
  Widths widths(columns.size());
  for (const auto& row : rows)
    for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], characters(row[at]));
  std::size_t total = 2 * (widths.size() - 1);
  for (const auto width : widths) total += width;
  for (; most > 0 && total > most; --total) {
    std::size_t widest = widths.size();
    for (std::size_t at = 0; at < widths.size(); ++at)
      if (columns[at].least > 0 && widths[at] > columns[at].least && (widest == widths.size() || widths[at] > widths[widest])) widest = at;
    if (widest == widths.size()) break;  // nothing left to shorten
    --widths[widest];
  }
  return widths;
}

}  // namespace

std::string reason_of(const Json& line) {
  for (const char* field : {"skip", "failure"})
    if (line[field].is_string())
      return fmt::format("{}: {}", field == std::string_view("skip") ? "skipped" : "failed", line[field].get<std::string>());
  if (!line["verdict"].is_string()) return "failed: it did not run";
  if (const std::string verdict = line["verdict"]; !verdict.empty()) return "wrong: " + verdict;
  return line["samples_s"].empty() || !line["iterations"].is_number() || line["iterations"].get<double>() < 1 ? "failed: no timed run" : "";
}

double iteration_s(const Json& line) { return median(line["samples_s"]) / line["iterations"].get<double>(); }

std::vector<bool> disturbed_samples(const Json& line) {
  std::vector<bool> disturbed;
  const auto holds = [&](const char* field, std::size_t at) { return line.contains(field) && line[field].is_array() && at < line[field].size(); };
  for (std::size_t at = 0; at < line["samples_s"].size(); ++at) {
    Delay delay;
    if (holds("run_delay_s", at)) delay.run_delay_s = line["run_delay_s"][at].get<double>();
    else if (holds("involuntary_switches", at)) delay.involuntary_switches = line["involuntary_switches"][at].get<std::int64_t>();
    disturbed.push_back(disturbs(delay, line["samples_s"][at].get<double>()));
  }
  return disturbed;
}

bool is_disturbed(const Json& line) {
  const auto disturbed = disturbed_samples(line);
  return 2 * std::ranges::count(disturbed, true) > std::ptrdiff_t(disturbed.size());
}

std::string summary_table(const std::vector<Json>& lines, int columns) {
  const auto other = [&](const Json& line) { return line["exhibit"] != lines.front()["exhibit"]; };
  const bool by_exhibit = std::ranges::any_of(lines, other);
  const Columns& shown = by_exhibit ? exhibit_columns : case_columns;
  std::vector<Row> rows(1);
  for (const auto& column : shown) rows[0].emplace_back(column.title);
  if (by_exhibit) {
    std::ranges::move(rows_of_exhibits(lines), std::back_inserter(rows));
  } else {
    auto settings = telling_settings(lines);
    for (const auto& line : lines) rows.push_back(row_of(line, settings[line["dataset"]["name"].get<std::string>()]));
  }
  const Widths widths = widths_of(rows, shown, columns > 0 ? std::size_t(columns) : 0);
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t at = 0; at < row.size(); ++at) {
      const std::string cell = fitted(row[at], widths[at]), space(widths[at] - characters(cell), ' ');
      const bool last = at + 1 == row.size();
      text += shown[at].right ? space + cell : last ? cell : cell + space;
      text += last ? "\n" : "  ";
    }
  }
  return text;
}

}  // namespace km

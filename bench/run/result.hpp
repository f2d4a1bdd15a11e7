// Result lines: one JSON object a case, appended as soon as the case ends. Fields: docs/results.md.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include "bench/run/measure.hpp"

namespace km {

/// The schema of the lines this program writes; it reads every earlier one (docs/results.md).
constexpr int line_schema = 2;

/// The fields that are known before a case runs; every line begins with them. Results absent: null.
Json skeleton(const Case& c, const std::vector<std::string>& argv, const std::string& machine);
/// Fill in what was measured. A wrong answer has no time.
void add_measurement(Json& line, const Case& c, const Measurement& m);

/// An append-only file of result lines.
class ResultFile {
 public:
  /// Creates the folder, drops the torn last line that a killed run may have left. Throws UserError where it cannot write.
  explicit ResultFile(std::filesystem::path path);
  /// One write() of one line, so that a killed run leaves whole lines.
  void append(const Json& line) const;
  /// Ids of the cases that have a line already: measured, wrong or skipped for good. Failures and skips are tried again.
  std::set<std::string> finished() const;
  /// The last line of each of these cases, in the order given.
  std::vector<Json> lines(const std::vector<std::string>& ids) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Every result line of a .jsonl file; what is none (torn, no case) is passed over. Throws UserError for a line of a later schema.
std::vector<Json> read_lines(const std::filesystem::path& path);

/// Result lines as Google Benchmark's own JSON, so that tools made for it (compare.py) read them.
Json to_google_benchmark(const std::vector<Json>& lines);

/// The table printed after a run.
std::string summary_table(const std::vector<Json>& lines);

}  // namespace km

// Result lines: one JSON object a case, appended as soon as the case ends. Fields: docs/reference.md.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "bench/plan/case.hpp"

namespace km {

struct Measurement;

/// The schema of the lines this program writes; it reads every earlier one (docs/results.md).
constexpr int line_schema = 6;

/// The fields that are known before a case runs; every line begins with them. Results absent: null.
Json skeleton(const Case& c, const std::vector<std::string>& argv, const std::string& machine);
/// Fill in what was measured. A wrong answer has no time.
void add_measurement(Json& line, const Case& c, const Measurement& m);
/// Take out everything that a run adds.
void without_results(Json& line);

/// Why readers would refuse this line: "phase assign of iteration 3 is nan"; or "".
std::string unreadable(const Json& line);
/// The line, or in its place that of a failure with the reason why readers would refuse it.
Json readable(Json line);

/// Of every sample of a line, whether others had the processors meanwhile.
std::vector<bool> disturbed_samples(const Json& line);
/// Whether over half of them are: the median cannot be trusted.
bool is_disturbed(const Json& line);

/// An append-only file of result lines.
class ResultFile {
 public:
  /// Creates the folder, drops the torn last line that a killed run may have left. Throws UserError where it cannot write.
  explicit ResultFile(std::filesystem::path path);
  /// One write() of one readable line, so that a killed run leaves whole lines.
  void append(const Json& line) const;
  /// Ids of the cases that have a line already: measured, wrong or skipped for good. Failures and skips are tried again.
  std::set<std::string> finished() const;
  /// The line of each of these cases that counts (latest), in the order given.
  std::vector<Json> lines(const std::vector<std::string>& ids) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Every result line of a .jsonl file; what is none (torn, no case) is passed over. Throws UserError for a line of a later schema.
std::vector<Json> read_lines(const std::filesystem::path& path);

/// Whether further samples of the same case, with these beginnings of their line, belong to those of the line before: a right one, of the same
/// machine, commit without changes, device and version of the exhibit.
bool can_continue(const Json& before, const Json& line);
/// By case the line that counts: the last, with the samples of the lines that it continues.
std::map<std::string, Json> latest(const std::vector<Json>& lines);

/// Result lines as Google Benchmark's own JSON, so that tools made for it (compare.py) read them.
Json to_google_benchmark(const std::vector<Json>& lines);

/// The table printed after a run: a row a case, or a row an exhibit where there are several. In so many columns, words shortened where they do
/// not fit; 0: as wide as it is.
std::string summary_table(const std::vector<Json>& lines, int columns = 0);

}  // namespace km

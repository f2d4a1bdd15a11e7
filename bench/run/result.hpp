// Result lines: one JSON object a case, appended as soon as the case ends. Fields: docs/results.md.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include "bench/judge/judge.hpp"
#include "bench/plan/case.hpp"
#include "bench/trace.hpp"

namespace km {

/// What a case's runs left behind.
struct Measurement {
  std::string dataset_hash;
  std::optional<Settings> generator;
  std::vector<double> samples_s, samples_event_s;  // event times only for GPU implementations
  std::vector<double> downloads_s;
  double prepare_s = 0;
  int iters = 0;
  Trace prepare_trace{true}, trace{true};
  Judgement judgement;            // of the worst timed run
  std::optional<double> centroid_error;
  std::int64_t peak_bytes = 0;
  std::optional<std::int64_t> device_peak_bytes;
  Json gpu;
};

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

/// Every well-formed line of a .jsonl file.
std::vector<Json> read_lines(const std::filesystem::path& path);

/// Result lines as Google Benchmark's own JSON, so that tools made for it (compare.py) read them.
Json to_google_benchmark(const std::vector<Json>& lines);

/// The table printed after a run.
std::string summary_table(const std::vector<Json>& lines);

/// Median of a non-empty list.
double median(std::vector<double> values);

}  // namespace km

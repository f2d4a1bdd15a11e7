// Result lines: one JSON object per case, appended when the case ends. Fields: schema/line.json.
#pragma once

#include "bench/base/descriptor.hpp"
#include "bench/plan/case.hpp"

namespace km {

struct Measurement;

/// Returns the fields known before a case runs. All result fields are null.
Json skeleton(const Case& c, const std::vector<std::string>& argv, const std::string& machine);
/// Adds the measured fields. A wrong answer gets no time.
void add_measurement(Json& line, const Case& c, const Measurement& m);

/// Returns why readers would refuse this line, such as "phase assign of iteration 3 is nan", or "".
std::string unreadable(const Json& line);
/// Returns the line, or a failure line with the reason if readers would refuse it.
Json readable(Json line);

/// Parses a worker's answer as the line of `c`. If it is none, returns a failure with the reason `why`.
Json line_of(const Case& c, const std::string& answer, const std::string& why, const std::vector<std::string>& argv, const std::string& machine);

/// Returns why a line has no time: "skipped: …", "failed: …" or "wrong: …"; "" if it has one.
std::string reason_of(const Json& line);
/// Returns the median seconds per iteration of a line that has a time.
double iteration_s(const Json& line);

/// Returns for each sample whether other processes disturbed it.
std::vector<bool> disturbed_samples(const Json& line);
/// True if more than half of the samples are disturbed: the median is unreliable.
bool is_disturbed(const Json& line);

class ResultFile {
 public:
  /// Creates the folder and truncates a torn last line. Throws UserError if it cannot write.
  explicit ResultFile(std::filesystem::path path);
  /// Appends the line with one write(), so that a killed run leaves whole lines.
  void append(const Json& line) const;
  /// Returns the latest line of each case (see latest), in the order given.
  std::vector<Json> lines(const std::vector<std::string>& ids) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Creates the folder and locks it until the result is closed, as two writers would disturb each other's times and mix their lines. Throws UserError if
/// it is not writable or another process, `holder`, has the lock.
Descriptor lock_folder(const std::filesystem::path& folder, const std::string& holder);

/// Reads all result lines of a .jsonl file. Ignores torn lines and lines without a case. Throws UserError for a later schema.
std::vector<Json> read_lines(const std::filesystem::path& path);
/// The same of files that the user names. Throws UserError for one without a line.
std::vector<Json> read_lines(const std::vector<std::string>& files);

/// True if samples of `line` may be added to those of `before`: it is right, and machine, clean commit, device and exhibit version are equal.
bool can_continue(const Json& before, const Json& line);
/// Returns the last line of each case, with the samples of the lines that it continues.
std::map<std::string, Json> latest(const std::vector<Json>& lines);

/// Converts result lines to Google Benchmark's JSON, for tools such as compare.py.
Json to_google_benchmark(const std::vector<Json>& lines);
/// Prints that JSON to standard output with Google Benchmark's console reporter.
void print_google_benchmark(const Json& document);

/// Formats the table printed after a run: a row per case, or per exhibit if there are several. Shortens words to fit `columns`; 0: no limit.
std::string summary_table(const std::vector<Json>& lines, int columns = 0);

}  // namespace km

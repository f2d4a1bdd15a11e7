// The known results of a tuning: lines of its points in the file to which they are appended.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/machine/version.hpp"
#include "bench/run/result.hpp"
#include "bench/tune/space.hpp"

namespace km {

/// One line of a point.
struct Tried {
  std::shared_ptr<const Json> line;
  std::string reason;  // why it is invalid, or ""
  double seconds = 0;  // median per iteration; 0 if invalid
  int runs = 0;        // timed runs; 0 if invalid
  std::string grade;
  bool counts() const { return reason.empty(); }
};

class History {
 public:
  /// Reads the lines of this machine and commit; none with uncommitted changes (`dirty`), which have no identity. `others` counts the ignored ones.
  History(const std::filesystem::path& file, const std::string& machine, bool dirty = version::dirty());

  void add(const Json& line);
  /// Returns the first line of a case with at least `runs` timed runs, or with a reason for none; else null.
  const Tried* find(const std::string& id, int runs = 1) const;
  /// All lines of each case, by id.
  const std::map<std::string, std::vector<Tried>>& tried() const { return tried_; }
  int others() const { return others_; }

 private:
  std::map<std::string, std::vector<Tried>> tried_;
  int others_ = 0;
};

/// Returns `like` with the parameter values of a line.
Case case_of(const Json& line, const Case& like);

/// Outcome of a search. A setting is a combination of values.
struct Found {
  std::vector<Case> best;  // valid cases, graded no worse than the defaults: those with `repetitions` runs first, the fastest first
  int settings = 0, wrong = 0, failed = 0;
  std::vector<std::pair<std::string, std::string>> reasons;  // parameters and why they are invalid
};
Found found_in(const History& history, const TuningSpace& space, int repetitions);

/// Formats these parameters of a case: "bsxp=32 tiles=16".
std::string shown_parameters(const Case& c, const std::vector<std::string>& names);

}  // namespace km

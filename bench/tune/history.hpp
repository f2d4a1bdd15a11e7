// What a tuning knows already: the result lines of its points, in the file where they are appended.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/run/result.hpp"
#include "bench/tune/space.hpp"

namespace km {

/// One line of a point.
struct Tried {
  double seconds = 0;  // median of an iteration; 0 where it does not count
  int runs = 0;        // timed
  std::string reason;  // why it does not count, or ""
  std::string grade;
  bool counts() const { return reason.empty(); }
};

class History {
 public:
  /// The lines of this machine and this program's commit; `others` says how many of other ones were passed over.
  History(const std::filesystem::path& file, const std::string& machine);

  void add(const Json& line);
  /// The first line of a case that answers for so many runs: that many timed, or why it has none.
  const Tried* find(const std::string& id, int runs) const;
  /// Every case, by its id; the last line of each.
  const std::map<std::string, std::shared_ptr<const Json>>& lines() const { return lines_; }
  int others() const { return others_; }

 private:
  std::map<std::string, std::vector<Tried>> tried_;
  std::map<std::string, std::shared_ptr<const Json>> lines_;
  int others_ = 0;
};

/// Why a line's time does not count, or "": skipped, failed, wrong.
std::string reason_of(const Json& line);

/// A case with the values of a line's parameters, those of `like` else.
Case case_of(const Json& line, const Case& like);

/// What came of a search.
struct Found {
  std::optional<Case> best;  // the fastest that counts and is graded no worse than the defaults
  int points = 0, wrong = 0, failed = 0;
  std::vector<std::pair<std::string, std::string>> reasons;  // parameters and why they do not count
};
Found found_in(const History& history, const TuningSpace& space, int repetitions);

/// "bsxp=32 tiles=16": these parameters of a case.
std::string shown_parameters(const Case& c, const std::vector<std::string>& names);

}  // namespace km

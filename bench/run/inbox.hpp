// The worker's end of its connection to the parent (workers.hpp): jobs come in, starts and results go out, and so do reports of a crash.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace km {

constexpr const char* rank_word = "--worker=rank";  // the last argument of a worker that a launcher starts

/// A worker's connection to its parent.
class Inbox {
 public:
  /// Removes the worker's own argument and installs the crash reports. Returns nothing in a process that is no worker. Call it once, first.
  /// All ranks get the same jobs; rank 0 alone reports.
  static std::optional<Inbox> open(std::vector<std::string>& argv);
  /// The data of each job that is to be done now.
  const std::vector<std::string>& jobs() const { return jobs_; }
  /// Waits for the parent's next jobs. Returns false if there are none: the worker's work is done.
  bool next();
  void start(const std::string& id) const;
  void end(const std::string& id, const std::string& result) const;
  /// Says why this process, a rank, cannot go on. The parent ends all ranks.
  void crash(const std::string& why) const;
  /// Ends this process; ranks leave together, or, if `at_once`, end wherever they are. The parent starts another for the remaining jobs.
  [[noreturn]] void leave(bool at_once = false) const;

 private:
  bool read_jobs();
  bool share_jobs(bool more);
  void send(const std::string& line) const;
  int todo_ = -1, events_ = -1;
  std::string read_;    // from the parent, not yet in jobs_
  std::string secret_;  // before every line, so that the parent tells it from what an implementation writes to the pipe
  std::vector<std::string> jobs_;
};

}  // namespace km

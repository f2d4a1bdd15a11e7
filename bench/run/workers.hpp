// Jobs in worker processes. The parent hands out names of jobs and keeps the books; a worker, this program again with the same arguments,
// does them one after the other and tells of each when it starts and what came of it. A worker that dies, hangs or takes too much memory
// costs the job in flight; a new one does the rest.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace km {

struct Job {
  std::string id;    // without spaces
  double timeout_s;  // from the start of its turn
};

struct WorkerLimits {
  double memory_bytes = 0;  // resident, of the worker, pages of mapped files left out; 0: none
};

struct JobEvents {
  std::function<void(const std::string& id)> started;
  std::function<void(const std::string& id, const std::string& result)> ended;  // what the worker said of it, one line
  std::function<void(const std::string& id, const std::string& why)> lost;      // no result: why
};

/// Every job ends in `ended` or in `lost`. Returns early, with the jobs it did not get to, when interrupted (SIGINT, SIGTERM).
std::vector<std::string> run_in_workers(const std::vector<std::string>& argv, const std::vector<Job>& jobs, const WorkerLimits& limits,
                                        const JobEvents& events);

/// The worker's end of the pipes, where this process is a worker of ours; nothing elsewhere. Asked once, before anything else: from then on
/// crashes say what they touched.
class Desk {
 public:
  static std::optional<Desk> open();
  const std::vector<std::string>& jobs() const { return jobs_; }
  void start(const std::string& id) const;
  void end(const std::string& id, const std::string& result) const;
  /// End this process; the parent starts another for the remaining jobs.
  [[noreturn]] void leave() const;

 private:
  void tell(const std::string& line) const;
  int events_ = -1;
  std::string secret_;  // before every line, so that the parent tells it from what an implementation writes to the pipe
  std::vector<std::string> jobs_;
};

}  // namespace km

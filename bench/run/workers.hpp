// Runs jobs in worker processes. A worker is this program with one more argument, --worker; it reports the start and the result of each job.
// One that crashes, hangs or takes too much memory costs one job. A new worker does the rest.
// With a launcher (mpirun, srun) the worker is all its ranks: the launcher's input reaches rank 0, its output comes from all.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace km {

struct Job {
  std::string id;    // without spaces
  double timeout_s;  // from the job's start
  std::string data;  // one line, not empty, for the worker
};

struct WorkerLimits {
  double memory_bytes = 0;                                          // resident, without pages of mapped files; 0: no limit
  const char* longer = "--timeout";                                 // what gives a job more time
  std::optional<std::chrono::steady_clock::time_point> until = {};  // end of all jobs
  bool late() const { return until && std::chrono::steady_clock::now() > *until; }
  /// As asked; for 0, 95% of the available memory.
  static WorkerLimits of(double asked_bytes);
};

struct JobEvents {
  std::function<void(const std::string& id)> started = {};  // may be empty
  /// result: one line, or "" if the worker was lost; then `why` says how.
  std::function<void(const std::string& id, const std::string& result, const std::string& why)> ended;
};

/// The parent's side: one worker process at a time, which the next run() uses again.
class Workers {
 public:
  /// launcher: its words, before this program's; empty: none. The limit on memory does not hold for its ranks.
  Workers(std::vector<std::string> argv, WorkerLimits limits, std::vector<std::string> launcher = {});
  ~Workers();  // lets the worker end

  /// Runs all jobs; each ends in `ended`. On SIGINT or SIGTERM, or late, returns early with the jobs not done.
  std::vector<std::string> run(const std::vector<Job>& jobs, const JobEvents& events);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace km

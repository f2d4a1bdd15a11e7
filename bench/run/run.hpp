// Runs a plan. The parent plans and records and never touches the GPU; worker processes measure (bench/run/workers.hpp).
#pragma once

#include <functional>

#include "bench/plan/case.hpp"

namespace km {

class Inbox;
class Workers;
struct Job;

struct RunOptions {
  std::filesystem::path out;  // results/<machine>
  std::string machine;
  bool redo = false;                  // run recorded cases again
  bool save_solutions = false;        // .npy of points, labels and centroids per exhibit case
  bool energy = false;                // measure energy after the timed runs
  double timeout_s = 0;               // per case; 0: from its forecast, at least a minute
  double memory_bytes = 0;            // per worker; 0: available memory
  std::vector<std::string> argv;      // as recorded
  std::vector<std::string> launcher;  // starts the worker's ranks: mpirun -n 4; empty: the worker is one process
  bool interleave = false;            // runs of different cases alternate, in random order
  std::string format, benchmark_out;  // Google Benchmark's: json or console on standard output; a file of its JSON
  std::filesystem::path answers;      // labels and centroids of cases that run once go to <answers>/<case id>; empty: nowhere
};

/// Returns the file of a case's line: <out>/<paper>.jsonl or <out>/adhoc.jsonl.
std::filesystem::path result_path(const RunOptions& options, const Case& c);

/// Parent: runs the cases in workers, prints progress and the table, and writes a line for every case. Calls `locked` once it has locked the folder.
/// Returns 0 if every case has a time or a skip, 1 if some failed or are wrong, 130 if interrupted.
int supervise(std::vector<Case> cases, const RunOptions& options, const std::function<void()>& locked);

/// Returns the job of a case, with its own time limit if that is 0. Draws the judge's seed unless the case has one.
Job job_of(Case c, double timeout_s = 0);

/// Parent: returns the line of one case; null if interrupted. Throws std::runtime_error if no worker begins with it.
std::shared_ptr<const Json> measure_point(Workers& workers, const Case& c, double timeout_s, const RunOptions& run);

/// Worker: measures the cases in the inbox and sends their lines, until the parent has no more.
int work(const RunOptions& options, Inbox& inbox);

}  // namespace km

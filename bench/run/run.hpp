// Running a plan. The parent plans, records results and never touches the GPU; worker processes measure (bench/run/workers.hpp).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/plan/case.hpp"

namespace km {

class Inbox;

struct RunOptions {
  std::filesystem::path out;  // results/<machine>
  std::string machine;
  bool redo = false;                        // run what has a line already
  bool save_solutions = false;              // .npy of points, labels and centroids of each exhibit case
  bool energy = false;                      // runs for the energy of each case, after its timed ones
  double timeout_s = 0;                     // of one case; 0: from its forecast, a minute at least
  double memory_bytes = 0;                  // of a worker; 0: what is available
  std::vector<std::string> argv;            // as recorded
  std::vector<std::string> benchmark_args;  // Google Benchmark's own flags
};

/// The file a case's line belongs to: <out>/<paper>.jsonl, or <out>/adhoc.jsonl.
std::filesystem::path result_path(const RunOptions& options, const Case& c);

/// Parent: run the cases in workers, print progress and the table. Every case ends with a line. `locked` is called once nobody else can write
/// to the folder. 0: every case has a time or a skip; 1: some failed or are wrong; 130: interrupted, the rest is for the next run.
int supervise(const std::vector<Case>& cases, const RunOptions& options, const std::function<void()>& locked);

/// Worker: measure the cases whose ids lie in the inbox, and tell what came of each.
int work(std::vector<Case> cases, const RunOptions& options, const Inbox& inbox);

}  // namespace km

// Running a plan. The parent plans, keeps the books and never touches the GPU; a worker process measures, so that a crash, an
// out-of-memory kill or a lost GPU context costs one case.
#pragma once

#include <string>
#include <vector>

#include "bench/run/result.hpp"

namespace km {

struct RunOptions {
  std::filesystem::path out;               // results/<machine>
  std::string machine;
  bool redo = false;                       // run what has a line already
  bool save_solutions = false;             // .npy of points, labels and centroids of each exhibit case
  std::vector<std::string> argv;           // as recorded
  std::vector<std::string> benchmark_args; // Google Benchmark's own flags
};

/// The file a case's line belongs to: <out>/<paper>.jsonl, or <out>/adhoc.jsonl.
std::filesystem::path result_path(const RunOptions& options, const Case& c);

/// Parent: run the cases in workers, print progress and the table. 0: every case has a time or a skip; 1: some failed or are wrong.
int supervise(const std::vector<Case>& cases, const RunOptions& options);

/// Worker: measure the cases whose ids arrive on descriptor `todo`, tell `events` what starts and ends.
int work(std::vector<Case> cases, const RunOptions& options, int todo, int events);

/// The exit code by which a worker says: the GPU context is lost, start another for the rest.
constexpr int restart_code = 75;

}  // namespace km

// Measures one case to its result line. Whatever the case throws becomes the line's skip or failure.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "bench/run/measure.hpp"
#include "bench/run/run.hpp"

namespace km {

class CaseRun {
 public:
  CaseRun(Case c, const RunOptions& options) : case_(std::move(c)), options_(options) {}

  const Case& spec() const { return case_; }
  /// Makes the next timed run and, after the last, all that follows it.
  void repeat();
  /// True after the last run, or if the case has ended without a time.
  bool ended() const { return !reason().empty() || int(measurement_.samples_s.size()) >= case_.repetitions; }
  /// Returns why it has no time (skip, failure or verdict), or "".
  std::string reason() const;
  /// Frees what the runs need, so that another case can run in between. The next repeat() prepares again.
  void release() { session_.reset(); }
  Json line() const;
  /// True if the next case needs a fresh process.
  bool spoiled_process() const { return !failure_.empty() || measurement_.process_changed || !measurement_.judgement.verdict.empty(); }

 private:
  void measure();
  void solve();

  Case case_;
  const RunOptions& options_;
  Measurement measurement_;
  std::unique_ptr<Session> session_;
  std::string skip_, failure_;
};

}  // namespace km

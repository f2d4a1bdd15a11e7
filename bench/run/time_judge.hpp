// Judges the times of a case's runs, as bench/judge judges their answers. Each explain_ returns a sentence, or "" where nothing speaks against them.
#pragma once

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "bench/base/statistics.hpp"
#include "bench/machine/wait_policy.hpp"
#include "bench/run/answers.hpp"

namespace km {

// What download and reset may take: work that belongs to iterate must not hide there.

/// Returns the seconds of plain copies to new host memory from the device's or the host's. sizes: bytes of the arrays.
std::vector<double> copies_s(bool on_gpu, std::initializer_list<std::size_t> sizes, int tries);

/// Returns a sentence if work was moved into download or reset, or "". Each may take three copies of the outputs and a tenth of iterate. A library
/// may take nine, as it hands over through shared memory, and half of iterate. Some do not hand over their labels and assign anew.
/// All but copy_s are medians of a case's runs.
std::string explain_times(double sample_s, double download_s, double reset_s, double copy_s, bool library);

/// The part of what a download or reset may take that depends on nothing.
constexpr double fixed_s = 2e-4;

/// Returns a sentence or "" for a run with nothing between its verbs. Reset and download together (beside_s) may take three copies of the outputs and
/// a tenth of a sample, iterate three samples, or three of a run now: what it does in its timed runs cannot differ by more. A GPU may take longer by a
/// few launches.
std::string explain_whole(double sample_s, double now_s, double iterate_s, double beside_s, double copy_s, bool on_gpu);

/// As explain_times, for outputs of these sizes. The copy of another case's outputs of the same sizes may clear them; to refuse takes the longest of
/// nine made now.
std::string explain_times_of(std::size_t label_bytes, std::size_t centroid_bytes, double sample_s, double download_s, double reset_s, bool on_gpu,
                             bool library);

template <class T>
class TimeJudge {
 public:
  TimeJudge(const Case& c, Runs<T>& runs, Answers<T>& answers) : case_(c), runs_(runs), answers_(answers) {}

  /// Adds a timed run.
  void add(const Timing& timing, double download_s) {
    resets_s_.push_back(timing.reset_s);
    downloads_s_.push_back(slowest(group_, download_s));
    busy_.push_back((timing.processor_s + timing.delay.run_delay_s.value_or(0) - pool_ends_s_) / timing.wall_s);
  }
  /// Forgets the times of the runs' verbs.
  void clear() {
    resets_s_.clear();
    downloads_s_.clear();
  }
  /// Median seconds of reset and download.
  double beside_s() const { return median(resets_s_) + median(downloads_s_); }

  std::string explain_verbs(const Measurement& m) const {
    if (!is_first_rank()) return agreed(group_, "");
    return agreed(group_, explain_times_of(answers_.labels_bytes(), answers_.centroids_bytes(), median(m.line.samples_s), lower_median(downloads_s_),
                                           lower_median(resets_s_), case_.on_gpu(), bool(m.library)));
  }

  std::string explain_trace(const Trace& trace, int iters) const {
    const bool other = trace.iters() > 0 && trace.iters() != iters;
    return agreed(group_, other ? fmt::format("it began {} iterations and reported {}", trace.iters(), iters) : "");
  }

  /// Finds threads beside those that it declares, where these are fewer than all and none may spin for the user's OMP_WAIT_POLICY.
  std::string explain_threads(const Measurement& m) const {
    const auto declared = case_.config.values().find("threads");
    if (declared == case_.config.values().end() || case_.on_gpu() || group_ || m.library || threads_spin()) return "";
    const auto threads = double(std::get<std::int64_t>(declared->second)), busy = median(busy_);
    if (threads == 0 || busy <= 1.1 * threads + 0.5) return "";
    return fmt::format("it kept {:.3g} threads busy and declares {}", busy, threads);
  }

  /// The fixed part of explain_times hides work beside a short sample. One of twenty runs with nothing between the verbs has to do without it. Also
  /// judges the answer of that run.
  void explain_whole_run(Measurement& m) {
    const double median_s = median(m.line.samples_s);
    if (group_ || m.library || median_s > 10 * fixed_s) return;
    std::string why;
    Solution<T> traced = std::move(answers_.last);  // the one to save
    for (int tries = 0; tries < 4 * most_tries; ++tries) {
      if (tries % most_tries == most_tries - 1) wait_for_quiet();
      runs_.take_turn(m.runs++);
      int iters = 0;
      const double now_s = runs_.timed_run(iters).wall_s;  // threads may sleep or wait now, and did not before
      runs_.take_turn(m.runs++);
      const auto whole = runs_.whole_run(answers_.last);
      const auto copies = copies_s(case_.on_gpu(), {answers_.labels_bytes(), answers_.centroids_bytes(), answers_.centroids_bytes()}, 3);
      why = explain_whole(median_s, now_s, whole.iterate_s, whole.beside_s, median(copies), case_.on_gpu());
      if (why.empty()) break;
    }
    if (why.empty()) answers_.judge_if_new(m);
    else m.judgement.verdict = why;
    answers_.last = std::move(traced);
  }

 private:
  const Case& case_;
  Runs<T>& runs_;
  Answers<T>& answers_;
  Group* group_ = all_ranks();
  std::vector<double> resets_s_, downloads_s_;                    // without run delay
  std::vector<double> busy_;                                      // threads that ran or waited for a processor, in each timed run
  const double pool_ends_s_ = 5e-3 + 2e-4 * omp_get_num_procs();  // of the judge's threads, which OpenMP ends in a run with fewer
};

}  // namespace km

// Judges the times of a case's runs, as bench/judge judges their answers. Each explain_ returns a sentence, or "" where nothing speaks against them.
#pragma once

#include <omp.h>

#include <compare>

#include "bench/base/statistics.hpp"
#include "bench/machine/wait_policy.hpp"
#include "bench/run/answers.hpp"

namespace km {

/// Where a solution comes from (of a library, the host: its program has copied it), and the bytes of its labels and of each of its two arrays of centroids.
struct OutputBytes {
  bool on_gpu;
  std::size_t labels, centroids;
  auto operator<=>(const OutputBytes&) const = default;
};
/// Returns the seconds of plain copies of such arrays to new host memory.
std::vector<double> copies_s(const OutputBytes& outputs, int tries);

/// Finds work that was moved into download or reset. All but copy_s are medians of a case's runs. Some libraries assign anew to have labels.
std::string explain_times(double sample_s, double download_s, double reset_s, double copy_s, bool library);
/// The same by copies of these outputs. Those of another case may clear it; to refuse takes the longest of nine made now.
std::string explain_times_of(const OutputBytes& outputs, double sample_s, double download_s, double reset_s, bool library);
/// The part of what a download or reset may take that depends on nothing.
constexpr double fixed_s = 2e-4;

/// Finds the same in a run with nothing between its verbs. beside_s: of reset and download. What iterate does in its timed runs, or in one made now,
/// cannot differ by more. A GPU may take longer by a few launches.
std::string explain_whole(double sample_s, double now_s, double iterate_s, double beside_s, double copy_s, bool on_gpu);

template <class T>
class TimeJudge {
 public:
  TimeJudge(const Case& c, Runs<T>& runs, Answers<T>& answers) : case_(c), runs_(runs), answers_(answers) {}

  /// Adds a timed run.
  void add(const Timing& timing, double download_s) {
    resets_s_.push_back(timing.reset_s);
    downloads_s_.push_back(slowest(group_, download_s));
    busy_.push_back(busy_threads(timing, pool_ends_s_));
  }
  /// Forgets the times of the runs' verbs.
  void clear() {
    resets_s_.clear();
    downloads_s_.clear();
  }
  /// Median seconds of reset and download.
  double beside_s() const { return median(resets_s_) + median(downloads_s_); }

  std::string explain_verbs(const Measurement& m) const {
    const auto why = [&] {
      return explain_times_of(outputs(bool(m.library)), median(m.line.samples_s), lower_median(downloads_s_), lower_median(resets_s_),
                              bool(m.library));
    };
    return agreed(group_, is_first_rank() ? why() : "");
  }

  std::string explain_trace(const Trace& trace, int iters) const {
    const bool other = trace.iters() > 0 && trace.iters() != iters;
    return agreed(group_, other ? fmt::format("it began {} iterations and reported {}", trace.iters(), iters) : "");
  }

  /// Finds threads beside those that it declares, where these are fewer than all and none may spin for the user's OMP_WAIT_POLICY. A run may end threads
  /// of the judge, which wait long on a busy machine. So to refuse takes runs that follow one at once, and have none to end.
  std::string explain_threads(Measurement& m) {
    const auto declared = case_.config.values().find("threads");
    if (declared == case_.config.values().end() || case_.on_gpu() || group_ || m.library || threads_spin()) return "";
    const auto threads = double(std::get<std::int64_t>(declared->second)), most = 1.1 * threads + 0.5;
    if (threads == 0 || median(busy_) <= most) return "";
    std::vector<double> again;
    for (int run = 0; run <= most_tries; ++run) {
      runs_.take_turn(m.runs++);
      const Timing timing = runs_.timed_run();
      if (run > 0) again.push_back(busy_threads(timing, pool_ends_s_));
    }
    return median(again) <= most ? "" : fmt::format("it kept {:.3g} threads busy and declares {}", median(again), threads);
  }

  /// The fixed part of explain_times hides work beside a short sample: one of twenty runs has to do without it. Also judges the answer of that run.
  void explain_whole_run(Measurement& m) {
    const double median_s = median(m.line.samples_s);
    if (group_ || m.library || median_s > 10 * fixed_s) return;
    std::string why;
    int against = 0;
    bool cleared = false;
    Solution<T> traced = std::move(answers_.last);  // the one to save
    for (int tries = 0; !cleared && tries < 4 * most_tries; ++tries) {
      if (tries % most_tries == most_tries - 1) wait_for_quiet();
      runs_.take_turn(m.runs++);
      const Timing now = runs_.timed_run();  // threads may sleep or wait now, and did not before
      runs_.take_turn(m.runs++);
      auto whole = runs_.whole_run(answers_.last);
      if (const int iters = answers_.last.iters; iters > m.iters) whole.iterate_s *= double(m.iters) / iters;  // as the samples
      const double copy_s = median(copies_s(outputs(), 3));
      const auto complaint = [&](double now_s) { return explain_whole(median_s, now_s, whole.iterate_s, whole.beside_s, copy_s, case_.on_gpu()); };
      const std::string found = complaint(now.wall_s);
      // A run that others held up says nothing against the implementation, and excuses nothing.
      if (found.empty()) cleared = now.disturbed <= disturbed_share || complaint(0).empty();
      else if (whole.disturbed <= disturbed_share) why = found, ++against;
    }
    if (cleared || against < most_tries) answers_.judge_if_new(m);
    else m.judgement.verdict = why;
    answers_.last = std::move(traced);
  }

 private:
  OutputBytes outputs(bool library = false) const {
    return {case_.on_gpu() && !library, answers_.last.labels.size() * sizeof(std::int32_t), answers_.last.centroids.size() * sizeof(T)};
  }

  const Case& case_;
  Runs<T>& runs_;
  Answers<T>& answers_;
  Group* group_ = all_ranks();
  std::vector<double> resets_s_, downloads_s_;                    // without run delay
  std::vector<double> busy_;                                      // threads, in each timed run
  const double pool_ends_s_ = 5e-3 + 2e-4 * omp_get_num_procs();  // of the judge's threads, which OpenMP ends in a run with fewer
};

}  // namespace km

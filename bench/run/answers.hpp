// The answers of a case's runs: each is judged, and the replay gets its evidence.
#pragma once

#include <chrono>
#include <tuple>

#include "bench/run/runs.hpp"
#include "bench/run/truth.hpp"

namespace km {

template <class T>
class Answers {
 public:
  Answers(const Case& c, Runs<T>& runs) : judge(runs.problem, c.implementation->description, c.config, runs.points->spread), case_(c), runs_(runs) {}

  const Judge<T> judge;
  Solution<T> last;      // of the last run
  Evidence<T> evidence;  // its `first` is the case's first timed run

  /// The first result moves on, because copying its labels takes as long as a download.
  void download(std::optional<int> returned = {}) {
    if (std::exchange(last_is_first_, false)) evidence.first = std::move(last);
    last = runs_.download(returned);
  }

  void judge_timed(Measurement& m) {
    const auto start = std::chrono::steady_clock::now();
    if (m.runs == 1) {
      keep_worst(m, judge_last());
      last_is_first_ = true;
      const auto& ideal = runs_.points->set.ideal_centroids;
      if (!ideal.empty()) m.line.centroid_error = centroid_error(last.centroids, ideal, problem_.d);
    } else {
      judge_if_new(m);
    }
    m.judged_for(seconds_since(start));
  }

  /// Judges the last run unless it repeats the first answer. Keeps the evidence for the replay.
  void judge_if_new(Measurement& m) {
    const auto repeats = [&] { return same_answer(evidence.first, last, runs_.start.rotation(), problem_); };
    if (m.runs > 1 && evidence.first.iters > 0 && summed(group_, !repeats()) == 0) return;
    keep_worst(m, judge_last());
    if (m.runs > 1 && last.iters == evidence.first.iters)
      evidence.others.push_back({runs_.start.values(), last.assigned_centroids, runs_.start.rotation()});
    if (m.judgement.verdict.empty() && last.iters < m.iters) m.judgement.verdict = explain_stop();
  }

  /// With a tolerance of 0 the means tell alone whether the last iteration changed labels.
  std::string explain_stop() const {
    const bool too_early = problem_.tolerance == 0 && last.iters < problem_.max_iters && judge.moved(last);
    return too_early ? fmt::format("it stopped after iteration {}, which changed labels", last.iters) : "";
  }

  /// Replays a result. An implementation that refuses one of the runs is wrong, unless it departs from the task (always tests for convergence).
  Replay replay_of(Measurement& m, const Evidence<T>& of) const {
    Replay made = replay(*case_.implementation, case_.config, problem_, of, judge);
    m.judgement.verdict = made.verdict;
    if (m.judgement.verdict.empty() && !judge.departs) m.judgement.verdict = made.refused;
    return made;
  }

 private:
  Judgement judge_last() const {
    auto judgement = judge(last);
    if (judgement.verdict.empty()) judgement.verdict = runs_.explain_start();
    if (judgement.verdict.empty() && last.iters == 1 && !std::ranges::equal(last.assigned_centroids, problem_.initial_centroids))
      judgement.verdict = "its one iteration did not start from the initial centroids";
    return judgement;
  }

  /// Keeps the worst errors of any run, and inertia and cluster sizes of the first.
  static void keep_worst(Measurement& m, Judgement judgement) {
    const auto rank = [](const Judgement& j) { return std::tuple(!j.verdict.empty(), j.grade, j.wrong_labels, j.mean_error); };
    if (!m.judgement.cluster_sizes.empty() && judgement.verdict.empty()) {  // the start as given has the case's own result
      judgement.inertia = m.judgement.inertia;
      judgement.cluster_sizes = m.judgement.cluster_sizes;
    }
    if (m.judgement.cluster_sizes.empty() || !judgement.verdict.empty() || rank(judgement) > rank(m.judgement)) m.judgement = std::move(judgement);
  }

  const Case& case_;
  Runs<T>& runs_;
  const Problem<T>& problem_ = runs_.problem;
  Group* group_ = all_ranks();  // measure, decide and judge alike
  bool last_is_first_ = false;  // `last` is the first timed run of the case
};

}  // namespace km

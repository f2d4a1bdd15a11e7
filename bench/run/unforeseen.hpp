// A timed run from rows that nobody could foresee. What remembers answers of the timed runs has none for it: it takes longer.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

#include "bench/base/statistics.hpp"
#include "bench/run/runs.hpp"

namespace km {

/// The time that the run may take, in medians of the timed runs: three. An implementation that computes `distances` of `all` (0: it does not count
/// them) may take longer by their share, at most ten times or by the number of iterations, because the first iteration skips few. More by k over the
/// clusters with points, because a box of points skips all others at once.
inline double unforeseen_medians(double distances, double all, int iters, double k_by_used = 1) {
  return distances > 0 ? 3 * std::clamp(all / distances, 1.0, std::max(10.0, double(iters)) * k_by_used) : 3;
}

template <class T>
class UnforeseenRun {
 public:
  std::vector<T> rows;   // the start of the last try
  Solution<T> solution;  // of make(); no iterations if the warm-up run sufficed

  UnforeseenRun(Runs<T>& runs, const Judge<T>& judge) : runs_(runs), judge_(judge) {}

  /// Makes and judges a warm-up run as a first try. Cold memory may make it too long, which proves nothing. Returns the seconds of judging.
  double warm_up(std::uint64_t seed) {
    const auto start = std::chrono::steady_clock::now();
    warm_ = once(seed);
    solution = {};
    return std::max(0.0, seconds_since(start) - warm_.verbs_s);
  }

  /// Makes and judges the run, unless the warm-up run is short enough and `anew` is false. Returns a sentence or "". One that is too long is repeated
  /// from other rows, and so is a wrong one of what departs from the task. A disturbed run convicts only if it was too long without its run delay, too.
  std::string make(Measurement& m, double beside_s, bool anew, std::mt19937_64& draws) {
    const double allowed = allowed_medians(m);
    Tried others;
    others.timing.wall_s = median(m.line.samples_s);
    others.verbs_s = others.timing.wall_s + beside_s;
    const auto too_long = [&](const Tried& t, const Tried& sample, double delay_s = 0) {  // in iterate, or in all verbs: none may take another's work
      const auto longer = [&](double s, double sample_s) {
        return s > allowed * sample_s + 1e-4 && s / t.timing.iters > allowed * sample_s / m.iters;
      };
      return longer(t.timing.wall_s - delay_s, sample.timing.wall_s) || longer(t.verbs_s - delay_s, sample.verbs_s);
    };
    const auto right = [&](const Tried& t) {
      m.line.unforeseen_iteration_s = t.timing.wall_s / t.timing.iters;
      return "";
    };
    if (!anew && warm_.timing.iters > 0 && warm_.wrong.empty() && !too_long(warm_, others)) return right(warm_);
    std::string verdict;
    for (int tries = 0, against = 0; tries < 4 * most_tries && against < most_tries; ++tries) {
      if (tries == 0) runs_.wake_gpus();
      const Tried sample = tries == 0 ? others : sample_now(others);
      const Tried now = once(draws());
      if (!now.wrong.empty()) {
        if (++against > 1 || !judge_.departs) verdict = now.wrong;
        if (judge_.departs) continue;
        break;
      }
      if (!too_long(now, sample)) return right(now);
      std::this_thread::sleep_for(std::chrono::milliseconds(10 << against));  // a hypervisor's disturbance is not counted
      const double delay_s = std::isinf(now.timing.disturbed) ? now.verbs_s : now.timing.delay.run_delay_s.value_or(now.verbs_s);
      if (now.timing.disturbed > disturbed_share && !too_long(now, sample, delay_s)) wait_for_quiet();
      else if (++against > 1)
        verdict = fmt::format("a run from rows that nobody could foresee took {:.3g} ms, the others {:.3g} ms: it had their answers before",
                              now.verbs_s * 1e3, sample.verbs_s * 1e3);
    }
    return verdict;
  }

 private:
  /// One run; verbs_s: of all three verbs.
  struct Tried {
    Timing timing;
    double verbs_s = 0;
    std::string wrong;
  };
  Tried once(std::uint64_t seed) {
    rows = initial_centroids(runs_.points->set, runs_.problem.k, "random", seed);
    Tried now = timed_run(rows);
    now.wrong = runs_.explain_start();
    if (now.wrong.empty()) now.wrong = judge_(solution).verdict;
    return now;
  }
  Tried timed_run(const std::vector<T>& from = {}) {
    Tried run;
    run.timing = runs_.timed_run(from);
    const double download_s = undelayed_s([&] { solution = runs_.download(run.timing.iters); });
    run.verbs_s = run.timing.reset_s + run.timing.wall_s + slowest(all_ranks(), download_s);
    return run;
  }

  double allowed_medians(const Measurement& m) const {
    const auto counted = m.counters.find("distances");
    const double distances = counted == m.counters.end() ? 0 : std::reduce(counted->second.begin(), counted->second.end());
    const auto& sizes = m.judgement.cluster_sizes;
    const double k = runs_.problem.k, used = double(std::ranges::count_if(sizes, [](std::int64_t size) { return size > 0; }));
    return unforeseen_medians(distances, double(runs_.points->set.n) * k * m.trace.iters(), m.iters, k / std::max(1.0, used));
  }

  /// The others' times, or the shorter of two runs from the given start, made now: threads that sleep between iterations stay slow for many runs.
  Tried sample_now(Tried others) {
    runs_.start.as_given();
    runs_.make();
    const Tried first = timed_run(), second = timed_run();
    others.verbs_s = std::max(others.verbs_s, std::min(first.verbs_s, second.verbs_s));
    others.timing.wall_s = std::max(others.timing.wall_s, std::min(first.timing.wall_s, second.timing.wall_s));
    return others;
  }

  Runs<T>& runs_;
  const Judge<T>& judge_;
  Tried warm_;
};

}  // namespace km

// A timed run from rows that nobody could foresee. What remembers answers of the timed runs has none for it: it takes longer.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/base/statistics.hpp"
#include "bench/run/measure.hpp"
#include "bench/run/runs.hpp"

namespace km {

template <class T>
class UnforeseenRun {
 public:
  std::vector<T> rows;   // the start of the last try
  Solution<T> solution;  // no iterations before make()

  /// departs: the implementation departs from the task (bench/contract/implementation.hpp).
  UnforeseenRun(Runs<T>& runs, const Judge<T>& judge, bool departs) : runs_(runs), judge_(judge), departs_(departs) {}

  /// Makes and judges the run. Returns a sentence or "". One that is too long is repeated from other rows, and so is a wrong one of what departs from
  /// the task. A disturbed run convicts only if it was too long without its run delay, too.
  std::string make(const Measurement& m, std::mt19937_64& draws) {
    const double allowed = allowed_medians(m);
    std::string verdict;
    for (int tries = 0, against = 0; tries < 4 * most_tries && against < most_tries; ++tries) {
      rows = initial_centroids(runs_.points->set, runs_.problem.k, "random", draws());
      if (tries == 0) runs_.wake_gpus();
      const double sample_s = tries == 0 ? median(m.samples_s) : sample_now_s(m);
      int iters = 0;
      const Timing timing = runs_.timed_run(iters, rows);
      solution = runs_.download(iters);
      std::string wrong = runs_.explain_start();
      if (wrong.empty()) wrong = judge_(solution).verdict;
      if (!wrong.empty()) {
        if (++against > 1 || !departs_) verdict = wrong;
        if (departs_) continue;
        break;
      }
      const auto too_long = [&](double s) { return s > allowed * sample_s + 1e-4 && s / iters > allowed * sample_s / m.iters; };
      if (!too_long(timing.wall_s)) return "";
      std::this_thread::sleep_for(std::chrono::milliseconds(10 << against));  // a hypervisor's disturbance is not counted
      const double own_s = std::isinf(timing.disturbed) ? 0 : timing.wall_s - timing.delay.run_delay_s.value_or(timing.wall_s);
      if (timing.disturbed > disturbed_share && !too_long(own_s)) wait_for_quiet();
      else if (++against > 1)
        verdict = fmt::format("a run from rows that nobody could foresee took {:.3g} ms, the others {:.3g} ms: it had their answers before",
                              timing.wall_s * 1e3, sample_s * 1e3);
    }
    return verdict;
  }

 private:
  /// The time that it may take, in medians of the timed runs: three. An implementation that skips distances may take longer by their share, at most
  /// by the number of iterations, because the first iteration skips few.
  double allowed_medians(const Measurement& m) const {
    const auto counted = m.counters.find("distances");
    const double distances = counted == m.counters.end() ? 0 : std::reduce(counted->second.begin(), counted->second.end());
    const double all = double(runs_.points->set.n) * runs_.problem.k * m.trace.iters(), most = std::max(10.0, double(m.iters));
    return distances > 0 ? 3 * std::clamp(all / distances, 1.0, most) : 3;
  }

  /// The median of the timed runs, or the shorter of two made now: threads that sleep between iterations stay slow for many runs.
  double sample_now_s(const Measurement& m) {
    runs_.start.as_given();
    runs_.make();
    int iters = 0;
    return std::max(median(m.samples_s), std::min(runs_.timed_run(iters).wall_s, runs_.timed_run(iters).wall_s));
  }

  Runs<T>& runs_;
  const Judge<T>& judge_;
  bool departs_;
};

}  // namespace km

#include "bench/judge/replay.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <ranges>
#include <utility>

#include "bench/contract/reuse_scope.hpp"
#include "bench/data/values.hpp"
#include "bench/device/device.hpp"
#include "bench/judge/draws.hpp"

namespace km {
namespace {

constexpr int sample_iterations = 12, latest_sampled = 100;
constexpr std::int64_t largest_sample = 4096;
constexpr double share_in_full = 1.0 / 64;            // of what an iteration moves
constexpr double cheap_work = 2e8, most_work = 4e11;  // n k d iterations, of one run of the judge's and of all for a link
constexpr double drawn_work = 1e9;                    // n k d iterations; beyond, one run in four is asked whether it went on too long
constexpr int least_own_runs = 4, most_own_runs = 24;
constexpr int nudged_runs = 12;           // where the judge's own cost too much
constexpr double least_share = 1.0 / 64;  // of the bounds of the judge's own runs

/// Thrown: the result is wrong.
struct Refusal {
  std::string sentence;
};

/// Thrown: the implementation does not support such a run.
struct NotReplayed {
  std::string reason, sentence;
};

/// A run, and the bounds of the rounding of its means (k x d), computed on demand.
template <class T>
struct Ended {
  Solution<T> run;
  std::vector<double> bounds;
  std::uint64_t path = 0;  // of the judge's own: a hash of the labels of all iterations
};

/// Counts runs by path. Runs can show the right labels only if at least half of them took the same path.
struct Paths {
  std::map<std::uint64_t, int> counts;
  int runs = 0, most = 0;

  void add(std::uint64_t path) { ++runs, most = std::max(most, ++counts[path]); }
  bool certain() const { return 2 * most >= runs; }
};

/// Whether one of some runs ends at given centroids, the least distance to them, and whether the runs agree enough to decide.
struct Reach {
  bool reached = false, certain = false;
  double nearest = std::numeric_limits<double>::infinity();
};

std::int64_t changed_labels(Group* group, const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  std::int64_t changed = 0;
#pragma omp parallel for reduction(+ : changed) if (a.size() > 1 << 20)
  for (std::size_t i = 0; i < a.size(); ++i) changed += a[i] != b[i];
  return summed(group, changed);
}

/// Replays a problem: the whole one, or a sample.
template <class T>
class Replayer {
 public:
  Replayer(const Implementation& implementation, const Config& config, const Problem<T>& problem, const Judge<T>& judge, std::mt19937_64& draws)
      : implementation_(implementation), config_(config), problem_(problem), judge_(judge), draws_(draws),
        departs_(!departure(implementation.description, config).empty()) {}

  /// Runs a new solver for exactly `iters` iterations; 0: until the problem's stop.
  Ended<T> run(std::span<const T> start, int iters) const {
    const Problem<T> p = from(start, iters);
    if (const auto& unsupported = implementation_.description.unsupported) {
      std::string reason;
      try {
        reason = unsupported(p.whole(), config_, sizeof(T));
      } catch (const std::exception& error) {
        reason = fmt::format("it threw: {}", error.what());
      }
      reason = agreed(p.group, reason);
      if (!reason.empty())
        throw NotReplayed{reason, fmt::format("it does not support {} iterations of {} points: {}", p.max_iters, p.whole().n, reason)};
    }
    Trace untraced;
    const auto solver = implementation_.prepare<T>()(p, config_, untraced);
    solver->reset();
    solver->iterate(untraced);
    if (implementation_.description.device == Device::gpu) device::synchronize();
    Ended<T> ended{.run = solver->download()};
    if (const auto wrong = judge_.explain_shape(p, ended.run); !wrong.empty())
      throw Refusal{fmt::format("after {} iterations: {}", p.max_iters, wrong)};
    return ended;
  }

  /// Refuses a run of `iters` iterations that is wrong by itself.
  void check_run(const Solution<T>& run, int iters) const {
    if (const auto wrong = judge_(run, iters).verdict; !wrong.empty()) throw Refusal{fmt::format("after {} iterations: {}", iters, wrong)};
  }

  void check_start(const Solution<T>& first) const {
    for (std::size_t cell = 0; cell < problem_.initial_centroids.size(); ++cell)
      if (const double was = first.assigned_centroids[cell], given = problem_.initial_centroids[cell]; was != given)
        throw Refusal{fmt::format("the first iteration did not start from the initial centroids: centroid {}, dimension {} was {} instead of {}",
                                  cell / problem_.d, cell % problem_.d, was, given)};
  }

  /// True if a run that tests the centroids, not the labels, may stop: no label will change again.
  bool rests(const Solution<T>& run) const { return departs_ && run.centroids == run.assigned_centroids; }

  double work_of(int iters) const { return double(problem_.whole().n) * problem_.k * problem_.d * iters; }

  /// Distance that the last iteration moved the centroids.
  double movement(const Solution<T>& s) const { return judge_.apart(s.assigned_centroids, s.centroids, judge_.mean_bounds(s)); }

  /// True if `later` is where the run ended, by all that rounding of the same means explains, or at most `allowed` standard deviations off.
  bool near(Ended<T>& before, const std::vector<T>& later, double allowed) const {
    if (before.run.centroids == later) return true;
    if (before.bounds.empty()) before.bounds = judge_.mean_bounds(before.run);
    return apart(before, later) <= allowed;
  }

  /// Checks that `iters` iterations from `start`, as in `before`, can lead to `later`. allowed: as for near(). by_judge: the judge's own runs decide.
  void check_link(Ended<T>& before, const std::vector<T>& later, std::span<const T> start, int iters, double allowed, bool by_judge = false) const {
    if (!by_judge && near(before, later, allowed)) return;
    check_run(before.run, iters);
    const double summation = judge_.summation_error(before.run);
    const auto bounded = [&](Ended<T> ended) {
      ended.bounds = judge_.mean_bounds(ended.run, summation);
      return ended;
    };
    double share = 1;  // of the bounds
    const auto own = [&] { return bounded(own_run(from(start, iters), summation, share)); };
    bool first = true;
    const auto again = [&] { return bounded(std::exchange(first, false) ? before : run(start, iters)); };
    const double work = work_of(iters);
    const bool cheap = work <= cheap_work;
    Reach reach;
    if (!cheap && (reach = reaches(later, 5, again)).reached) return;
    const bool affordable = least_own_runs * work <= most_work;
    if (affordable && (reach = reaches(later, own_runs(work), own)).reached) return;
    if (!affordable && (reach = reaches(later, nudged_runs, [&] { return bounded(run(nudged(start), iters)); })).reached) return;
    if (by_judge && !reach.certain && near(before, later, allowed)) return;
    const bool decided = reach.certain && !departs_;
    while (cheap && !reach.certain && (share /= 2) >= least_share)
      if ((reach = reaches(later, own_runs(work), own)).reached) return;
    if (cheap && !decided && (reach = reaches(later, 5, again)).reached) return;
    throw Refusal{fmt::format("iteration {} does not go on where a run of {} iterations ends: the centroids are {:.2g} standard deviations apart",
                              iters + 1, iters, reach.nearest)};
  }

  /// Checks that `first` stopped where its tolerance says. before: a run of one iteration less. Compares labels only if both runs are the same bit by bit.
  /// If they are not and no label may change, the centroids of the last assign must be the means of its labels.
  void check_stop(const Solution<T>& first, const Solution<T>& before, int& links) const {
    const ProblemShape p = problem_.whole();
    const bool same = before.centroids == first.assigned_centroids;
    const auto changed = changed_labels(problem_.group, first.labels, before.labels);
    if (first.iters < p.max_iters && !rests(first) && (same ? !p.converged(changed) : !p.converged(1) && judge_.moved(first)))
      throw Refusal{fmt::format("it stopped after {} iterations although {} of {} labels changed in the last; the tolerance is {}", first.iters,
                                same ? std::to_string(changed) : "some", p.n, p.tolerance)};
    if (!same || before.iters == 1) return;
    if (work_of(before.iters) > drawn_work && draws_() % 4 != 0) return;
    ++links;
    if (!p.converged(1)) {  // the run before may prove a change, and one change is too many
      check_run(before, before.iters);
      if (judge_.moved(before)) return;
    }
    const Solution<T> before_that = run(problem_.initial_centroids, before.iters - 1).run;
    const auto changed_before = changed_labels(problem_.group, before.labels, before_that.labels);
    if (before_that.centroids == before.assigned_centroids && p.converged(changed_before))
      throw Refusal{fmt::format("it went on for {} iterations although only {} of {} labels changed in iteration {}; the tolerance is {}",
                                first.iters, changed_before, p.n, before.iters, p.tolerance)};
  }

  /// Checks the number of iterations that a tolerance asks for against the judge's own runs, if these are cheap.
  void check_iterations() const {
    if (problem_.tolerance < 0 || departs_) return;
    const Solution<T> made = run(problem_.initial_centroids, 0).run;
    const double work = work_of(made.iters);
    if (work > cheap_work) return;
    const double summation = judge_.summation_error(made);
    Problem<T> p = problem_;
    p.max_iters = std::min(p.max_iters, 2 * made.iters + 8);
    int least = p.max_iters, most = 1;
    Paths paths;
    for (int runs = own_runs(work); runs > 0; --runs) {
      const Ended<T> own = own_run(p, summation, 1);
      least = std::min(least, own.run.iters), most = std::max(most, own.run.iters);
      if (made.iters >= 2 * least - most && made.iters <= 2 * most - least) return;
      paths.add(own.path);
    }
    if (!paths.certain()) return;
    throw Refusal{fmt::format("it made {} iterations where its tolerance of {} asks for {}", made.iters, p.tolerance, most)};
  }

 private:
  Problem<T> from(std::span<const T> start, int iters) const {
    Problem<T> p = problem_;
    p.initial_centroids = start;
    if (iters > 0) p.max_iters = iters, p.tolerance = -1;
    return p;
  }

  /// Moves each value to a neighbouring number, or not at all, at random: runs from there part where rounding lets them. Equal values stay equal.
  std::vector<T> nudged(std::span<const T> start) const {
    const std::uint64_t seed = draws_();
    const auto nudge = [&](T value) {
      const double drawn = noise(std::hash<T>{}(value), seed), side = drawn < 1.0 / 3 ? -1 : drawn < 2.0 / 3 ? 1 : 0;
      return side == 0 ? value : std::nextafter(value, T(side) * std::numeric_limits<T>::max());
    };
    std::vector<T> out(start.size());
    std::ranges::transform(start, out.begin(), nudge);
    return out;
  }

  static int own_runs(double work) { return int(std::clamp(most_work / work, double(least_own_runs), double(most_own_runs))); }
  Ended<T> own_run(const Problem<T>& p, double summation, double share) const {
    Ended<T> own;
    own.run = judge_.run_rounded(p, summation, share, draws_, own.path);
    return own;
  }

  double apart(const Ended<T>& from, const std::vector<T>& centroids) const { return judge_.apart(from.run.centroids, centroids, from.bounds); }

  /// Makes at most `most` runs until one ends at `later`, or no further from it than twice as far as they lie apart.
  template <class Make>
  Reach reaches(const std::vector<T>& later, int most, Make make) const {
    Reach out;
    Paths paths;
    double spread = 0;
    for (std::vector<Ended<T>> runs; !out.reached && int(runs.size()) < most;) {
      runs.push_back(make());
      const Ended<T>& last = runs.back();
      paths.add(last.path);
      out.nearest = std::min(out.nearest, apart(last, later));
      for (const Ended<T>& other : runs) spread = std::max(spread, apart(last, other.run.centroids));
      out.reached = out.nearest <= 2 * spread;
      runs.back().run.labels = {};
    }
    out.certain = paths.certain();
    return out;
  }

  const Implementation& implementation_;
  const Config& config_;
  Problem<T> problem_;
  const Judge<T>& judge_;
  std::mt19937_64& draws_;
  bool departs_;
};

/// Returns evenly spread points of all ranks and the witnesses. Centroids far from all points have none: these would raise the bounds of every mean near them.
template <class T>
std::vector<T> sample_with_witnesses(const Problem<T>& p, Distance form, std::mt19937_64& draws) {
  const int d = p.d;
  const std::int64_t n = p.whole().n;
  const std::int64_t wanted =
      std::clamp<std::int64_t>(n / 64, std::min<std::int64_t>(n, std::max(2 * p.k, 512)), std::max<std::int64_t>(largest_sample, 2 * p.k));
  std::vector<T> points;
  for (const std::int64_t of_all : spread_sample(n, wanted, draws))
    if (const std::int64_t i = of_all - p.shard.first; i >= 0 && i < p.n)
      points.insert(points.end(), p.points.begin() + i * d, p.points.begin() + (i + 1) * d);
  points = gathered(p.group, std::move(points));
  const auto row = [&](int c) { return p.initial_centroids.data() + std::size_t(c) * d; };
  const auto squared = [&](auto value) {
    double sum = 0;
    for (int j = 0; j < d; ++j) sum += value(j) * value(j);
    return sum;
  };
  const auto norm = [&](int c) { return squared([&](int j) { return double(row(c)[j]); }); };
  std::vector<double> least_values(d, std::numeric_limits<double>::infinity()), most_values(d, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < points.size(); ++i) {
    least_values[i % d] = std::min(least_values[i % d], double(points[i]));
    most_values[i % d] = std::max(most_values[i % d], double(points[i]));
  }
  const auto is_far = [&](int j, double value) {
    const double width = most_values[j] - least_values[j];
    return value < least_values[j] - width || value > most_values[j] + width;
  };
  for (int c = 0; c < std::min(p.k, 64); ++c) {
    int other = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int candidate = 0; candidate < p.k; ++candidate) {
      const double apart = squared([&](int j) { return double(row(c)[j]) - double(row(candidate)[j]); });
      if (apart > 0 && apart < least) least = apart, other = candidate;
    }
    if (other < 0) continue;
    const auto middle = [&](int j) { return 0.5 * double(row(c)[j]) + 0.5 * double(row(other)[j]); };
    if (std::ranges::any_of(std::views::iota(0, d), [&](int j) { return is_far(j, middle(j)); })) continue;
    const double magnitude = form == Distance::difference ? least / 2 : 2 * squared(middle) + norm(c) + norm(other);
    for (const double times : {1.5, -1.5, 4.0, -4.0, 32.0, -32.0}) {
      const double step = times * (rounding_factor(d) * unit_roundoff<T> + cut_factors(form)) * magnitude / (2 * least);
      if (std::abs(step) > 0.25) continue;
      for (int j = 0; j < d; ++j) points.push_back(T(middle(j) + step * (double(row(other)[j]) - double(row(c)[j]))));
    }
  }
  return points;
}

/// Returns the numbers of iterations for the sample: all up to 12 if that is cheap, else the first three; and a later random pair.
std::vector<int> sampled_iterations(const ProblemShape& sample, int iters, std::mt19937_64& draws) {
  const bool cheap = double(sample.n) * sample.k * sample.d * sample_iterations * (sample_iterations + 1) / 2 < 3e7;
  const int latest = std::min(iters, cheap ? latest_sampled : sample_iterations), chain = std::min(latest, cheap ? sample_iterations : 3);
  std::vector<int> all;
  for (int m = 1; m <= chain; ++m) all.push_back(m);
  if (latest > chain + 1) {
    const int m = chain + 1 + int(draws() % unsigned(latest - chain - 1));
    all.insert(all.end(), {m, m + 1});
  }
  return all;
}

/// Gives this rank its share of a problem that all ranks know; uneven: one point, none, ..., none, all the others. Returns its rows.
template <class T>
std::span<const T> take_share(Problem<T>& p, std::span<const T> rows, bool uneven) {
  const int rank = p.group->rank(), size = p.group->size();
  const auto first = [&](int of) { return !uneven ? first_row(p.n, of, size) : of == 0 ? 0 : of == size ? p.n : std::int64_t(1); };
  p.shard = {first(rank), p.n};
  p.n = first(rank + 1) - first(rank);
  return rows.subspan(std::size_t(p.shard.first * p.d), std::size_t(p.n * p.d));
}

template <class T>
void replay_sample(const Implementation& implementation, const Config& config, const Problem<T>& problem, int iters, std::mt19937_64& draws,
                   Replay& out) try {
  const std::vector<T> drawn = sample_with_witnesses(problem, implementation.description.distance, draws);
  Problem<T> sample = problem;
  sample.n = std::int64_t(drawn.size()) / problem.d;
  if (sample.k > sample.n) return;
  std::span<const T> rows = drawn;
  if (problem.group) rows = take_share(sample, rows, draws() % 2 == 0);
  const Values<T> points = make_values<T>(rows.size());  // on pages of its own: an implementation may page-lock them
  std::ranges::copy(rows, points.get());
  sample.points = {points.get(), rows.size()};
  const Judge<T> judge(sample, implementation.description, config);
  const Replayer<T> replayer(implementation, config, sample, judge, draws);
  Ended<T> before;
  for (const int m : sampled_iterations(sample.whole(), iters, draws)) {
    Ended<T> now = replayer.run(problem.initial_centroids, m);
    out.sampled = sample.whole().n;
    if (const auto verdict = judge(now.run, m).verdict; !verdict.empty()) throw Refusal{fmt::format("{} iterations: {}", m, verdict)};
    if (m == 1) replayer.check_start(now.run);
    else if (m == before.run.iters + 1) replayer.check_link(before, now.run.assigned_centroids, problem.initial_centroids, m - 1, 0);
    out.links += m == before.run.iters + 1;
    before = std::move(now);
  }
  replayer.check_iterations();
} catch (const Refusal& refusal) {
  throw Refusal{fmt::format("on a sample of {} points, {}", out.sampled, refusal.sentence)};
}

template <class T>
void replay_in_full(const Replayer<T>& replayer, const Problem<T>& problem, const Evidence<T>& evidence, std::mt19937_64& draws, int& links) {
  const Solution<T>& first = evidence.first;
  const auto start = problem.initial_centroids;
  if (first.iters == 1) {
    if (problem.max_iters > 1 && problem.tolerance < 1 && !replayer.rests(first))
      throw Refusal{"it stopped after 1 iteration, in which every label changed"};
    ++links;
    return replayer.check_start(first);
  }
  const int made = first.iters - 1;
  Ended<T> one = replayer.run(start, 1);
  ++links;
  replayer.check_start(one.run);
  Ended<T> before = made == 1 ? std::move(one) : replayer.run(start, made);
  ++links;
  const bool repeats = evidence.others.empty() && before.run.centroids == first.assigned_centroids;
  const bool by_judge = evidence.middle && replayer.work_of(made) <= cheap_work / 10;
  const double allowed = repeats ? 0 : share_in_full * replayer.movement(first);
  replayer.check_link(before, first.assigned_centroids, start, made, allowed, by_judge);
  for (const auto& other : evidence.others) {
    ++links;
    if (replayer.near(before, rotated(other.assigned, (problem.k - other.rotation) % problem.k, problem.d), allowed)) continue;
    try {
      Ended<T> own = replayer.run(other.start, made);
      replayer.check_link(own, other.assigned, other.start, made, allowed);
    } catch (const Refusal& refusal) {
      throw Refusal{"in a later run, " + refusal.sentence};
    }
  }
  if (evidence.middle && first.iters > 5) {
    const int m = 3 + int(draws() % 2);
    Ended<T> middle = replayer.run(start, m);
    const Ended<T> next = replayer.run(start, m + 1);
    links += 2;
    replayer.check_run(next.run, m + 1);
    replayer.check_link(middle, next.run.assigned_centroids, start, m, share_in_full * replayer.movement(next.run));
  }
  if (problem.tolerance >= 0) replayer.check_stop(first, before.run, links);
}

}  // namespace

template <class T>
Replay replay(const Implementation& implementation, const Config& config, const Problem<T>& problem, const Evidence<T>& evidence,
              const Judge<T>& judge) {
  const ReuseScope reuse;
  Replay out;
  std::mt19937_64 draws = evidence.draws;
  try {
    try {
      replay_in_full(Replayer<T>(implementation, config, problem, judge, draws), problem, evidence, draws, out.links);
    } catch (const NotReplayed& not_replayed) {
      out.skipped = not_replayed.reason;
      out.refused = not_replayed.sentence;
    }
    if (evidence.sample) replay_sample(implementation, config, problem, evidence.first.iters, draws, out);
  } catch (const NotReplayed& not_replayed) {  // fewer links
    out.refused = not_replayed.sentence;
  } catch (const Refusal& refusal) {
    out.verdict = refusal.sentence;
  }
  return out;
}

template Replay replay(const Implementation&, const Config&, const Problem<float>&, const Evidence<float>&, const Judge<float>&);
template Replay replay(const Implementation&, const Config&, const Problem<double>&, const Evidence<double>&, const Judge<double>&);

}  // namespace km

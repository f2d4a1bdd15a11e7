#include "bench/judge/replay.hpp"

#include <fmt/format.h>

#include <utility>

#include "bench/contract/reuse_scope.hpp"
#include "bench/data/values.hpp"
#include "bench/judge/links.hpp"
#include "bench/judge/sample.hpp"

namespace km {
namespace {

constexpr int sample_iterations = 12, latest_sampled = 100;
constexpr double share_in_full = 1.0 / 64;  // of what an iteration moves

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

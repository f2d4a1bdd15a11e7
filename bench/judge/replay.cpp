#include "bench/judge/replay.hpp"

#include <numeric>

#include "bench/contract/reuse_scope.hpp"
#include "bench/data/values.hpp"
#include "bench/judge/links.hpp"

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

/// Points of each rank: the rank `turn` none, the next one, the others the rest. Of two ranks, the rank `turn` has none or, every third and fourth turn, one.
std::vector<std::int64_t> uneven_shares(std::int64_t n, int size, std::uint64_t turn) {
  std::vector<std::int64_t> shares(std::size_t(size), -1);
  const auto ranks = unsigned(size);
  if (size > 1) shares[turn % ranks] = size == 2 ? std::int64_t(turn / 2 % 2) : 0;
  if (size > 2) shares[(turn + 1) % ranks] = 1;
  const std::int64_t rest = n - std::ranges::count(shares, 1);
  const auto large = int(std::ranges::count(shares, -1));
  int at = 0;
  for (std::int64_t& share : shares)
    if (share < 0) share = first_row(rest, at + 1, large) - first_row(rest, at, large), ++at;
  return shares;
}

/// This rank's share of a problem that all ranks know.
template <class T>
Problem<T> share_of(Problem<T> p, std::uint64_t turn) {
  const std::vector<std::int64_t> shares = uneven_shares(p.n, p.group->size(), turn);
  const auto mine = shares.begin() + p.group->rank();
  p.shard = {std::accumulate(shares.begin(), mine, std::int64_t(0)), p.n};
  p.n = *mine;
  p.points = p.points.subspan(std::size_t(p.shard.first * p.d), std::size_t(p.n * p.d));
  return p;
}

/// On every rank the centroids at which rank 0 ends without the others; none if the implementation does not run so.
template <class T>
std::vector<T> end_of_one(const Implementation& implementation, const Config& config, Problem<T> whole, int iters, std::mt19937_64 draws) {
  Group& all = *std::exchange(whole.group, nullptr);
  std::vector<T> end;
  std::string wrong;
  if (all.rank() == 0) try {
      const Judge<T> judge(whole, implementation.description, config);
      end = Replayer<T>(implementation, config, whole, judge, draws).run(whole.initial_centroids, iters).run.centroids;
    } catch (const Refusal& refusal) {
      wrong = refusal.sentence;
    } catch (const NotReplayed&) {}
  if (wrong = agreed(&all, wrong); !wrong.empty()) throw Refusal{"by rank 0 alone: " + wrong};
  return gathered(&all, end);
}

/// whole: the sample. The ranks' shares of it are those of `turn`.
template <class T>
void replay_shares(const Implementation& implementation, const Config& config, const Problem<T>& whole, std::uint64_t turn, int iters,
                   std::mt19937_64& draws, Replay& out) {
  const Problem<T> sample = whole.group ? share_of(whole, turn) : whole;
  const Judge<T> judge(sample, implementation.description, config);
  const Replayer<T> replayer(implementation, config, sample, judge, draws);
  const std::span<const T> start = sample.initial_centroids;
  Ended<T> before;
  for (const int m : sampled_iterations(sample.whole(), iters, draws)) {
    Ended<T> now = replayer.run(start, m);
    out.sampled = whole.n;
    replayer.check_run(now.run, m);
    if (m == before.run.iters + 1) {
      ++out.links;
      Scatter<T> scatter;
      if (m == 1) replayer.check_start(now.run);
      else replayer.check_link(before, now.run.assigned_centroids, start, m - 1, 0, scatter);
    }
    before = std::move(now);
  }
  replayer.check_iterations();
  if (!whole.group || !implementation.description.fixed_point) return;
  const int made = before.run.iters;
  if (const auto alone = end_of_one(implementation, config, whole, made, draws); !alone.empty()) {
    if (!replayer.near(before, alone, 0))
      throw Refusal{fmt::format("after {} iterations, {} ranks end with other centroids than one does", made, whole.group->size())};
    ++out.links;
  }
}

template <class T>
void replay_sample(const Implementation& implementation, const Config& config, const Problem<T>& problem, int iters, std::mt19937_64& draws,
                   Replay& out) try {
  const std::vector<T> drawn = sample_with_witnesses(problem, implementation.description.distance, draws);
  Problem<T> sample = problem;
  sample.n = std::int64_t(drawn.size()) / problem.d, sample.shard = {};
  if (sample.k > sample.n) return;
  const Values<T> points = make_values<T>(drawn.size());  // on pages of its own: an implementation may page-lock them
  std::ranges::copy(drawn, points.get());
  sample.points = {points.get(), drawn.size()};
  const std::uint64_t turn = problem.group ? draws() : 0;
  replay_shares(implementation, config, sample, turn, iters, draws, out);
  if (problem.group && problem.group->size() == 2) replay_shares(implementation, config, sample, turn + 2, iters, draws, out);
} catch (const Refusal& refusal) {
  throw Refusal{fmt::format("on a sample of {} points, {}", out.sampled, refusal.sentence)};
}

/// Replays at full size. Returns the ends that it found, for other cases.
template <class T>
std::vector<typename KnownEnds<T>::End> replay_in_full(const Replayer<T>& replayer, const Problem<T>& problem, const Evidence<T>& evidence,
                                                       std::mt19937_64& draws, int& links) {
  const Solution<T>& first = evidence.first;
  const auto start = problem.initial_centroids;
  if (first.iters == 1) {
    if (problem.max_iters > 1 && problem.tolerance < 1 && !replayer.rests(first))
      throw Refusal{"it stopped after 1 iteration, in which every label changed"};
    ++links;
    replayer.check_start(first);
    return {};
  }
  std::vector<typename KnownEnds<T>::End> found;
  const int made = first.iters - 1;
  const bool by_judge = evidence.middle && replayer.work_of(made) <= cheap_work / 10;
  double moved = -1;  // by the last iteration; computed on demand
  const auto slack = [&] { return share_in_full * (moved < 0 ? moved = replayer.movement(first) : moved); };
  const auto passes = [&](Ended<T>& end, const std::vector<T>& later) { return replayer.near(end, later, 0) || replayer.near(end, later, slack()); };
  const auto stops_alike = [&](const auto& end) {
    return problem.tolerance < 0 || (end.tolerance == problem.tolerance && end.max_iters == problem.max_iters);
  };
  const auto is_known = [&](const std::vector<T>& later) {
    return evidence.known && evidence.known->any(start, made, [&](auto& end) {
      return stops_alike(end) && (by_judge ? replayer.near(end.ended, later, 0) : passes(end.ended, later));
    });
  };
  Scatter<T> scatter;
  Ended<T> before;
  ++links;
  if (!is_known(first.assigned_centroids)) {
    Ended<T> one = replayer.run(start, 1);
    ++links;
    replayer.check_start(one.run);
    before = made == 1 ? std::move(one) : replayer.run(start, made);
    const bool repeats = before.run.centroids == first.assigned_centroids;
    if (by_judge || !repeats) replayer.check_link(before, first.assigned_centroids, start, made, repeats ? 0 : slack(), scatter, 0, by_judge);
  }
  for (const auto& other : evidence.others) {
    ++links;
    const std::vector<T> later = rotated(other.assigned, replayer.back(other.rotation), problem.d);
    if (is_known(later) || (before.run.iters > 0 && passes(before, later))) continue;
    try {
      if (!replayer.is_cheap(made) && before.run.iters > 0 && scatter.ends.empty()) replayer.add(scatter, before.run, 0);
      if (replayer.reached(scatter, later)) continue;
      Ended<T> own = replayer.run(other.start, made);
      replayer.check_link(own, other.assigned, other.start, made, slack(), scatter, other.rotation);
    } catch (const Refusal& refusal) {
      throw Refusal{"in a later run, " + refusal.sentence};
    }
  }
  if (evidence.middle && first.iters > 5) {
    const int m = 3 + int(draws() % 2);
    const Ended<T> next = replayer.run(start, m + 1);
    links += 2;
    replayer.check_run(next.run, m + 1);
    const auto& later = next.run.assigned_centroids;
    const auto leads_there = [&](Ended<T>& end) {
      return replayer.near(end, later, 0) || replayer.near(end, later, share_in_full * replayer.movement(next.run));
    };
    if (!evidence.known || !evidence.known->any(start, m, [&](auto& end) { return leads_there(end.ended); })) {
      Ended<T> middle = replayer.run(start, m);
      scatter = {};
      if (!leads_there(middle)) replayer.check_link(middle, later, start, m, 0, scatter);
      found.push_back({{start.begin(), start.end()}, -1, m, std::move(middle)});
    }
  }
  if (before.run.iters == 0) return found;
  if (problem.tolerance >= 0) replayer.check_stop(first, before.run, links);
  found.push_back({{start.begin(), start.end()}, problem.tolerance, problem.max_iters, std::move(before)});
  return found;
}

}  // namespace

template <class T>
Replay replay(const Implementation& implementation, const Config& config, const Problem<T>& problem, const Evidence<T>& evidence,
              const Judge<T>& judge) {
  const ReuseScope reuse;
  Replay out;
  std::mt19937_64 draws = evidence.draws;
  try {
    std::vector<typename KnownEnds<T>::End> found;
    try {
      found = replay_in_full(Replayer<T>(implementation, config, problem, judge, draws), problem, evidence, draws, out.links);
    } catch (const NotReplayed& not_replayed) {
      out.skipped = not_replayed.reason;
      out.refused = not_replayed.sentence;
    }
    if (evidence.sample) replay_sample(implementation, config, problem, evidence.first.iters, draws, out);
    if (!evidence.known || judge.departs) return out;
    for (auto& end : found) {
      if (end.ended.bounds.empty()) end.ended.bounds = judge.mean_bounds(end.ended.run);
      evidence.known->add(std::move(end));
    }
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

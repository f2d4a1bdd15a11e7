#include "bench/judge/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "bench/contract/reuse_scope.hpp"
#include "bench/device/device.hpp"
#include "bench/judge/labels.hpp"

namespace km {
namespace {

constexpr int sample_iterations = 12;
constexpr std::int64_t largest_sample = 4096;

/// Runs a new solver for exactly `iters` iterations. Returns nothing and sets `reason` if it cannot.
template <class T>
std::optional<Solution<T>> run_for(const Implementation& implementation, const Config& config, Problem<T> problem, int iters, std::string& reason) {
  problem.max_iters = iters;
  problem.tolerance = -1;
  if (const auto& unsupported = implementation.description.unsupported) try {
      if (reason = unsupported(problem, config, sizeof(T)); !reason.empty()) return std::nullopt;
    } catch (const std::exception& error) {
      reason = error.what();
      return std::nullopt;
    }
  Trace untraced;
  const auto solver = implementation.prepare<T>()(problem, config, untraced);
  solver->reset();
  solver->iterate(untraced);
  if (implementation.description.device == Device::gpu) device::synchronize();
  return solver->download();
}

/// Returns the root mean square difference over all values, in standard deviations of their dimension; infinite if sizes differ.
template <class T>
double distance_between(const std::vector<T>& a, const std::vector<T>& b, const std::vector<double>& deviations) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t cell = 0; cell < a.size(); ++cell) {
    const double difference = double(a[cell]) - double(b[cell]), deviation = deviations[cell % deviations.size()];
    if (difference != 0) sum += std::pow(difference / std::max(deviation, std::abs(double(a[cell])) * 1e-6), 2);
  }
  return std::sqrt(sum / double(a.size()));
}

template <class T>
std::string explain_start(const Problem<T>& p, const Solution<T>& first) {
  for (std::size_t cell = 0; cell < p.initial_centroids.size(); ++cell)
    if (cell >= first.assigned_centroids.size() || first.assigned_centroids[cell] != p.initial_centroids[cell])
      return fmt::format("the first iteration did not start from the initial centroids: centroid {}, dimension {} was {} instead of {}", cell / p.d,
                         cell % p.d, cell < first.assigned_centroids.size() ? double(first.assigned_centroids[cell]) : NAN,
                         double(p.initial_centroids[cell]));
  return "";
}

/// `later` (centroids used by the last assign) must equal `earlier` (result of a run of `iters` iterations). Rounding may separate runs that are not
/// repeatable (atomics on data of wide range). Then one of four more runs must end near `later`, or the runs must differ among themselves nearly as
/// much.
template <class T, class Again>
std::string explain_link(const std::vector<T>& earlier, const std::vector<T>& later, int iters, const std::vector<double>& deviations,
                         bool repeatable, Again again) {
  const double apart = distance_between(earlier, later, deviations);
  if (apart <= (repeatable ? 1e-4 : 1e-2)) return "";
  for (int more = 0; more < 4 && !repeatable; ++more) {
    const auto other = again();
    if (!other || distance_between(other->centroids, later, deviations) <= 1e-2) return "";
    if (apart <= 4 * distance_between(other->centroids, earlier, deviations)) return "";
  }
  return fmt::format("iteration {} does not go on where a run of {} iterations ends: the centroids are {:.2g} standard deviations apart", iters + 1,
                     iters, apart);
}

std::int64_t changed_labels(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) changed += a[i] != b[i];
  return changed;
}

/// Checks that the run stopped where its tolerance says. slack: labels that nonrepeatable runs may change at near ties.
/// at_rest: the means prove that no label changed in the last iteration.
template <class T>
std::string explain_stop(const Problem<T>& p, const Solution<T>& last, const Solution<T>& before, const Solution<T>* before_that, std::int64_t slack,
                         bool at_rest) {
  const auto changed = changed_labels(last.labels, before.labels);
  if (last.iters < p.max_iters && !at_rest && !p.converged(changed - slack))
    return fmt::format("it stopped after {} iterations although {} of {} labels changed in the last; the tolerance is {}", last.iters, changed, p.n,
                       p.tolerance);
  if (!before_that) return "";
  const auto changed_before = changed_labels(before.labels, before_that->labels);
  if (p.converged(changed_before + slack))
    return fmt::format("it went on for {} iterations although only {} of {} labels changed in iteration {}; the tolerance is {}", last.iters,
                       changed_before, p.n, last.iters - 1, p.tolerance);
  return "";
}

/// Returns evenly spread points and the witnesses.
template <class T>
std::vector<T> sample_with_witnesses(const Problem<T>& p, Distance form) {
  const int d = p.d;
  const std::int64_t wanted =
      std::clamp<std::int64_t>(p.n / 64, std::min<std::int64_t>(p.n, std::max(2 * p.k, 512)), std::max<std::int64_t>(largest_sample, 2 * p.k));
  std::vector<T> points;
  std::mt19937_64 random(p.n + 1);
  for (std::int64_t s = 0; s < std::min(wanted, p.n); ++s) {
    const std::int64_t first = std::int64_t(__int128(p.n) * s / wanted), last = std::int64_t(__int128(p.n) * (s + 1) / wanted);
    const std::int64_t i = first + std::int64_t(random() % std::uint64_t(std::max<std::int64_t>(1, last - first)));
    points.insert(points.end(), p.points.begin() + i * d, p.points.begin() + (i + 1) * d);
  }
  constexpr double u = std::numeric_limits<T>::epsilon() / 2;
  const auto row = [&](int c) { return p.initial_centroids.data() + std::size_t(c) * d; };
  const auto squared = [&](auto value) {
    double sum = 0;
    for (int j = 0; j < d; ++j) sum += value(j) * value(j);
    return sum;
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
    const double magnitude = form == Distance::difference ? least / 2 : 2 * squared(middle) + squared([&](int j) {
                                                                          return double(row(c)[j]);
                                                                        }) + squared([&](int j) { return double(row(other)[j]); });
    for (const double times : {1.5, -1.5, 4.0, -4.0, 32.0, -32.0}) {
      const double step = times * (rounding_factor(d) * u + cut_factors(form)) * magnitude / (2 * least);
      if (std::abs(step) > 0.25) continue;
      for (int j = 0; j < d; ++j) points.push_back(T(middle(j) + step * (double(row(other)[j]) - double(row(c)[j]))));
    }
  }
  return points;
}

/// Returns the numbers of iterations for the sample: all up to 12 if that is cheap, else the first three and a random pair that no implementation
/// can predict.
std::vector<int> sampled_iterations(const ProblemShape& sample, int iters, std::mt19937_64& draws) {
  const int most = std::min(iters, sample_iterations);
  const bool cheap = double(sample.n) * sample.k * sample.d * most * (most + 1) / 2 < 3e7;
  const int chain = cheap ? most : std::min(most, 3);
  std::vector<int> all;
  for (int m = 1; m <= chain; ++m) all.push_back(m);
  if (most > chain + 1) {
    const int m = chain + 1 + int(draws() % unsigned(most - chain - 1));
    all.insert(all.end(), {m, m + 1});
  }
  return all;
}

template <class T>
std::string replay_sample(const Implementation& implementation, const Config& config, const Problem<T>& problem, bool repeatable, int iters,
                          std::mt19937_64& draws, Replay& out) {
  const std::vector<T> points = sample_with_witnesses(problem, implementation.description.distance);
  Problem<T> sample = problem;
  sample.points = points;
  sample.n = std::int64_t(points.size()) / problem.d;
  if (sample.k > sample.n) return "";
  std::optional<Solution<T>> before;
  int made_before = 0;
  for (const int m : sampled_iterations(sample, iters, draws)) {
    std::string reason;
    sample.max_iters = m;
    sample.tolerance = -1;
    auto now = run_for(implementation, config, sample, m, reason);
    if (!now) return "";
    out.sampled = sample.n;
    const Judge<T> judge(sample, implementation.description, config);
    if (const auto verdict = judge(*now).verdict; !verdict.empty())
      return fmt::format("on a sample of {} points, {} iterations: {}", sample.n, m, verdict);
    std::string wrong;
    if (m == 1) wrong = explain_start(sample, *now);
    else if (m == made_before + 1)
      wrong = explain_link(before->centroids, now->assigned_centroids, m - 1, judge.deviations(), repeatable,
                           [&] { return run_for(implementation, config, sample, m - 1, reason); });
    if (!wrong.empty()) return fmt::format("on a sample of {} points: {}", sample.n, wrong);
    out.links += m == made_before + 1;
    made_before = m;
    before = std::move(now);
  }
  return "";
}

template <class T>
std::vector<T> rotated(std::vector<T> centroids, int rotation, int d) {
  std::ranges::rotate(centroids, centroids.begin() + std::ptrdiff_t(rotation) * d);
  return centroids;
}

/// True if all runs ended where the first did, except for the last digits.
template <class T>
bool is_repeatable(const Evidence<T>& evidence, const Problem<T>& p, const std::vector<double>& deviations) {
  return evidence.runs > 1 && std::ranges::all_of(evidence.others, [&](const auto& other) {
           return distance_between(rotated(evidence.first.assigned_centroids, other.rotation, p.d), other.assigned, deviations) < 1e-6;
         });
}

template <class T>
std::string replay_in_full(const Implementation& implementation, const Config& config, const Problem<T>& problem, const Evidence<T>& evidence,
                           const std::vector<double>& deviations, std::mt19937_64& draws, Replay& out) {
  const bool repeatable = is_repeatable(evidence, problem, deviations);
  const auto run = [&](int iters) { return run_for(implementation, config, problem, iters, out.skipped); };
  const auto judge_of = [&](int iters) {
    Problem<T> shorter = problem;
    shorter.max_iters = iters;
    shorter.tolerance = -1;
    return Judge<T>(shorter, implementation.description, config, deviations);
  };
  const int iters = evidence.first.iters;
  if (iters == 1) {
    if (problem.max_iters > 1 && problem.tolerance < 1) return "it stopped after 1 iteration, in which every label changed";
    ++out.links;
    return explain_start(problem, evidence.first);
  }
  const auto first = run(1);
  if (!first) return "";
  ++out.links;
  if (auto wrong = explain_start(problem, *first); !wrong.empty()) return wrong;
  const auto before = run(iters - 1);
  if (!before) return "";
  ++out.links;
  if (auto wrong =
          explain_link(before->centroids, evidence.first.assigned_centroids, iters - 1, deviations, repeatable, [&] { return run(iters - 1); });
      !wrong.empty())
    return wrong;
  for (const auto& other : evidence.others) {
    const auto expected = rotated(before->centroids, other.rotation, problem.d);
    Problem<T> own = problem;
    own.initial_centroids = other.start;
    ++out.links;
    if (auto wrong = explain_link(expected, other.assigned, iters - 1, deviations, false,
                                  [&] { return run_for(implementation, config, own, iters - 1, out.skipped); });
        !wrong.empty())
      return "in a later run, " + wrong;
  }
  if (evidence.middle && iters > 5) {
    const int m = 3 + int(draws() % 2);
    const auto middle = run(m), next = run(m + 1);
    if (!middle || !next) return "";
    out.links += 2;
    if (const auto wrong = judge_of(m + 1)(*next).verdict; !wrong.empty()) return fmt::format("after {} iterations: {}", m + 1, wrong);
    if (auto wrong = explain_link(middle->centroids, next->assigned_centroids, m, deviations, repeatable, [&] { return run(m); }); !wrong.empty())
      return wrong;
  }
  if (problem.tolerance < 0) return "";
  bool went_on = false;  // the run of iters - 1 proves a change, and one change is too many
  if (evidence.slow_run && iters > 2 && !problem.converged(1)) {
    const Judge<T> judge = judge_of(iters - 1);
    if (const auto wrong = judge(*before).verdict; !wrong.empty()) return fmt::format("after {} iterations: {}", iters - 1, wrong);
    went_on = judge.moved(*before);
  }
  const auto before_that = iters > 2 && !went_on ? run(iters - 2) : std::nullopt;
  out.links += went_on || before_that.has_value();
  const auto stop = [&](std::int64_t slack, bool at_rest) {
    return explain_stop(problem, evidence.first, *before, before_that ? &*before_that : nullptr, slack, at_rest);
  };
  auto wrong = stop(0, false);
  const bool at_rest = !wrong.empty() && !problem.converged(1) && !judge_of(iters).moved(evidence.first);
  for (int more = 0; more < 3 && !wrong.empty(); ++more) {  // nonrepeatable runs get slack
    const auto again = run(iters - 1);
    if (again && (again->labels != before->labels || again->centroids != before->centroids))
      wrong = stop(std::int64_t(1e-4 * double(problem.n)) + 8 + 2 * changed_labels(before->labels, again->labels), at_rest);
  }
  return wrong;
}

}  // namespace

template <class T>
Replay replay(const Implementation& implementation, const Config& config, const Problem<T>& problem, const Evidence<T>& evidence,
              const Judge<T>& judge) {
  const ReuseScope reuse;
  Replay out;
  std::mt19937_64 draws = evidence.draws;
  out.verdict = replay_in_full(implementation, config, problem, evidence, judge.deviations(), draws, out);
  if (out.verdict.empty())
    out.verdict =
        replay_sample(implementation, config, problem, is_repeatable(evidence, problem, judge.deviations()), evidence.first.iters, draws, out);
  return out;
}

template Replay replay(const Implementation&, const Config&, const Problem<float>&, const Evidence<float>&, const Judge<float>&);
template Replay replay(const Implementation&, const Config&, const Problem<double>&, const Evidence<double>&, const Judge<double>&);

}  // namespace km

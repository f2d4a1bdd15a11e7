#include "bench/judge/judge.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/contract/must_agree.hpp"
#include "bench/data/hash.hpp"

namespace km {
namespace {

std::string explain_labels(const LabelCheck& check) {
  const LabelCheck::Bad& bad = check.first;
  if (bad.point < 0) return "";
  if (bad.is_tie)
    return fmt::format(
        "point {} has label {} but centroid {} is at the same distance² ({:.9g}) and has the lower index; {} of {} judged labels break a tie so",
        bad.point, bad.label, bad.best, bad.best_dist, check.broken_ties, check.judged);
  return fmt::format("point {} has label {} (distance² {:.9g}) but centroid {} is nearer ({:.9g}); {} of {} judged labels are wrong", bad.point,
                     bad.label, bad.dist, bad.best, bad.best_dist, check.out_of_bound, check.judged);
}

/// The excess of the distances² over the sum of the least. Where all points lie on centroids, over the distances² to the mean of all, at most 1.
double relative_excess(const LabelCheck& labels, const Spread& spread) {
  const double relative = labels.excess == 0 ? 0 : labels.excess / labels.least;
  if (std::isfinite(relative)) return relative;
  double of_all = 0;
  for (const double deviation : spread.deviations) of_all += double(labels.judged) * deviation * deviation;
  return labels.excess / std::max(labels.excess, of_all);
}

Grade grade_of(const Judgement& j) {
  if (j.wrong_labels == 0 && j.tied_labels == 0 && j.mean_roundoffs <= 4) return Grade::exact;
  const bool without_effect =
      double(j.wrong_labels) <= std::max(1.0, 1e-4 * double(j.judged_points)) && j.label_excess <= 1e-6 && j.mean_offset <= 1e-4;
  return without_effect ? Grade::rounded : Grade::coarse;
}

/// Roundings of the greatest |x| that stay in a sum when points leave it. Means that follow from those before keep those of all points.
double roundings_kept(const ProblemShape& p, const Description& description, const Config& config) {
  const double of_means = description.incremental && description.incremental(config) ? double(p.n) * p.max_iters : 0;
  return double(kept_points(description, p, config)) * std::sqrt(2.0 * double(p.n) * p.max_iters) + of_means;
}

}  // namespace

std::string explain_labels(std::span<const std::int32_t> labels, std::int64_t n, int k, std::int64_t first) {
  if (std::ssize(labels) != n) return fmt::format("{} labels for {} points", labels.size(), n);
  std::int64_t bad = n;
#pragma omp parallel for reduction(min : bad) if (n > 1 << 20)
  for (std::int64_t i = 0; i < n; ++i)
    if (std::uint32_t(labels[std::size_t(i)]) >= std::uint32_t(k)) bad = std::min(bad, i);
  return bad == n ? "" : fmt::format("point {} has label {}: labels are 0 to {}", first + bad, labels[std::size_t(bad)], k - 1);
}

template <class T>
std::string Judge<T>::explain_shape(const ProblemShape& p, const Solution<T>& s) const {
  if (problem_.group) {
    const auto hash = [](const std::vector<T>& values) { return hash_of(values.data(), values.size() * sizeof(T)); };
    must_agree(problem_.group, s.iters, "ended with another number of iterations");
    must_agree(problem_.group, std::int64_t(std::hash<std::string>{}(hash(s.centroids) + hash(s.assigned_centroids))), "ended with other centroids");
  }
  return agreed(problem_.group, explain_own_shape(p, s));
}

template <class T>
std::string Judge<T>::explain_own_shape(const ProblemShape& p, const Solution<T>& s) const {
  const auto cells = std::size_t(p.k) * p.d;
  if (s.centroids.size() != cells || s.assigned_centroids.size() != cells)
    return fmt::format("{} centroid values for k d = {}", s.centroids.size() != cells ? s.centroids.size() : s.assigned_centroids.size(), cells);
  if (s.iters < 1 || s.iters > p.max_iters || (p.tolerance < 0 && s.iters != p.max_iters))
    return fmt::format("{} iterations where {} {} were asked for", s.iters, p.tolerance < 0 ? "exactly" : "at most", p.max_iters);
  for (const auto* centroids : {&s.assigned_centroids, &s.centroids})
    for (std::size_t cell = 0; cell < cells; ++cell)
      if (!std::isfinite((*centroids)[cell])) return fmt::format("centroid {}, dimension {} is {}", cell / p.d, cell % p.d, (*centroids)[cell]);
  return explain_labels(s.labels, p.n, p.k, problem_.shard.first);
}

std::string_view to_string(Grade grade) { return grade == Grade::exact ? "exact" : grade == Grade::rounded ? "rounded" : "coarse"; }

template <class T>
Judge<T>::Judge(const Problem<T>& problem, const Description& description, const Config& config, Spread spread)
    : departs(!departure(description, config).empty()), problem_(problem), depth_(summation_depth(description, problem.whole(), config)),
      kept_(unit_roundoff<T> * roundings_kept(problem.whole(), description, config)),
      drift_(description.incremental && description.incremental(config) ? 1e-3 : 0), frame_(description.fixed_point ? 0x1p-52 : 0),
      spread_(spread.deviations.empty() ? spread_of(problem) : std::move(spread)),
      arithmetic_{.form = description.distance, .origin = description.centred ? spread_.means : std::vector<double>()} {}

template <class T>
ClusterSums Judge<T>::own_sums(const Solution<T>& s, LabelCheck* labels) const {
  ClusterSums sums;
  if (is_large() && judge_on_device(problem_, s, arithmetic_, sums, labels)) return sums;
  if (labels) *labels = check_labels_on_host(problem_, s, arithmetic_);
  return sums_on_host(problem_, s);
}

template <class T>
std::vector<double> Judge<T>::bounds_of(const Solution<T>& s, const ClusterSums& truth, double summation) const {
  std::vector<double> bounds(s.centroids.size());
  for (std::size_t cell = 0; cell < bounds.size(); ++cell) {
    const auto count = truth.counts[cell / problem_.d];
    const auto j = cell % problem_.d;
    // An empty cluster has its centroid from an earlier iteration, or from the start.
    const double of_points = count > 0 ? truth.cells[cell].of_abs / double(count) : std::abs(double(s.centroids[cell]));
    const double mean_abs = of_points + (arithmetic_.origin.empty() ? 0 : std::abs(arithmetic_.origin[j]));
    const double m = double(std::min(depth_, count > 0 ? count : problem_.whole().n)), unit = 2 * unit_roundoff<T> * mean_abs;
    const double random_signs = unit * (std::sqrt(m) + 4), one_sign = std::min(4 * summation * mean_abs, unit * (m + 2));
    const double bound = std::max(random_signs, one_sign) + double(std::numeric_limits<T>::denorm_min());
    bounds[cell] =
        std::max(bound, drift_ * spread_.deviations[j]) + (frame_ + kept_ / double(std::max<std::int64_t>(1, count))) * spread_.greatest[j];
  }
  return bounds;
}

template <class T>
double Judge<T>::apart(const std::vector<T>& a, const std::vector<T>& b, const std::vector<double>& bounds) const {
  double sum = 0;
  for (std::size_t cell = 0; cell < bounds.size(); ++cell) {
    const double beyond = std::abs(double(a[cell]) - double(b[cell])) - 2 * bounds[cell];
    if (beyond > 0) sum += std::pow(beyond / std::max(spread_.deviations[cell % problem_.d], bounds[cell]), 2);
  }
  return std::sqrt(sum / double(bounds.size()));
}

template <class T>
bool Judge<T>::moved(const Solution<T>& s) const {
  const ClusterSums truth = sums_of(s);
  const auto beyond = [&](double summation) { return apart(s.assigned_centroids, s.centroids, bounds_of(s, truth, summation)) > 0; };
  return beyond(0) && beyond(summation_error(s));
}

template <class T>
std::pair<Solution<T>, std::uint64_t> Judge<T>::run_rounded(const Problem<T>& p, double summation, double share, std::mt19937_64& draws) const {
  std::uniform_real_distribution<double> rounding(-1, 1);
  Solution<T> s;
  std::uint64_t path = 0;
  s.labels.assign(std::size_t(p.n), no_label);
  s.centroids.assign(p.initial_centroids.begin(), p.initial_centroids.end());
  for (std::int64_t changed = 0; s.iters == 0 || (s.iters < p.max_iters && !p.whole().converged(changed)); ++s.iters) {
    s.assigned_centroids = s.centroids;
    changed = summed(p.group, label_rounded<T>(p, s.assigned_centroids, arithmetic_, std::pow(share, 6), draws(), s.labels));
    const std::string_view labels(reinterpret_cast<const char*>(s.labels.data()), s.labels.size() * sizeof(std::int32_t));
    const auto hash = std::int64_t(std::hash<std::string_view>{}(labels) >> 16);  // the sum of 2^15 ranks does not overflow
    path = path * 0x100000001b3 ^ std::uint64_t(summed(p.group, hash));
    const ClusterSums truth = sums_of(s);
    const auto bounds = bounds_of(s, truth, summation);
    for (std::size_t cell = 0; cell < bounds.size(); ++cell)
      if (const auto count = truth.counts[cell / p.d]; count > 0)
        s.centroids[cell] = T(truth.cells[cell].mean(count) + share * bounds[cell] * rounding(draws));
  }
  return {std::move(s), path};
}

template <class T>
double Judge<T>::summation_error(const Solution<T>& s) const {
  const ClusterSums truth = own_sums(s);  // a chain has points of one rank
  const int d = problem_.d, shares = std::clamp(omp_get_max_threads() / 2, (d + 15) / 16, d), width = (d + shares - 1) / shares;  // of a row
  std::vector<T> origin(std::size_t(d), T(0));
  std::ranges::copy(arithmetic_.origin, origin.begin());
  double worst = 0;
#pragma omp parallel for collapse(2) reduction(max : worst) if (problem_.n > 1 << 16)
  for (const bool backwards : {false, true})
    for (int first = 0; first < d; first += width) {
      const int end = std::min(d, first + width);
      std::vector<T> chain(s.centroids.size()), total(s.centroids.size());
      std::vector<std::int64_t> length(problem_.k);
      for (std::int64_t at = 0; at < problem_.n; ++at) {
        const std::int64_t i = backwards ? problem_.n - 1 - at : at;
        const std::size_t c = std::size_t(s.labels[std::size_t(i)]);
        const T* x = problem_.points.data() + i * d;
        for (int j = first; j < end; ++j) chain[c * d + j] += x[j] - origin[j];
        if (++length[c] < depth_) continue;
        length[c] = 0;
        for (int j = first; j < end; ++j) total[c * d + j] += std::exchange(chain[c * d + j], T(0));
      }
      for (int c = 0; c < problem_.k; ++c)
        for (int j = first; j < end; ++j) {
          const std::size_t cell = std::size_t(c) * d + j;
          const ExactSum& exact = truth.cells[cell];
          const double of_origin = double(truth.counts[c]) * double(origin[j]), of_abs = exact.of_abs + std::abs(of_origin);
          const double error = std::abs((double(T(total[cell] + chain[cell])) + of_origin - exact.sum) - exact.remainder);
          if (of_abs > 0) worst = std::max(worst, error / of_abs);
        }
    }
  return std::ranges::max(gathered<double>(problem_.group, {worst}));
}

template <class T>
void Judge<T>::check_means(const Solution<T>& s, const ClusterSums& truth, Judgement& out) const {
  constexpr double u = unit_roundoff<T>, least = double(std::numeric_limits<T>::denorm_min());
  const auto bounds = bounds_of(s, truth, 0);
  const double all_dimensions = std::sqrt(squared_norm(spread_.deviations.data(), problem_.d));
  std::vector<double> wider;  // with the measured error of plain summation; computed on demand
  for (int c = 0; c < problem_.k; ++c)
    for (int j = 0; j < problem_.d; ++j) {
      const std::size_t cell = std::size_t(c) * problem_.d + j;
      const double value = s.centroids[cell];
      const auto count = truth.counts[c];
      if (count == 0) {
        if (s.centroids[cell] != s.assigned_centroids[cell] && out.verdict.empty())
          out.verdict = fmt::format("centroid {} has no points and moved: dimension {} from {} to {}", c, j, s.assigned_centroids[cell], value);
        continue;
      }
      const double mean = truth.cells[cell].mean(count), mean_abs = truth.cells[cell].of_abs / double(count), error = std::abs(value - mean);
      if (error <= u * std::abs(mean) * 1.001 + least) continue;  // rounded once: no better value exists
      out.mean_error = std::max(out.mean_error, error);
      // In a dimension where all points are equal, an offset matters by what it adds to distances.
      const double scale = spread_.deviations[j] > 0 ? std::max(spread_.deviations[j], u * mean_abs) : all_dimensions;
      if (scale > 0) out.mean_offset = std::max(out.mean_offset, error / scale);
      out.mean_roundoffs = std::max(out.mean_roundoffs, error / (u * mean_abs));
      if (!(error > bounds[cell]) || !out.verdict.empty()) continue;
      if (wider.empty()) wider = bounds_of(s, truth, summation_error(s));
      if (!(error <= wider[cell]))
        out.verdict = fmt::format("centroid {}, dimension {} is {:.9g} but the mean of its {} points is {:.9g}, {:.2g} off; rounding explains {:.2g}",
                                  c, j, value, count, mean, error, wider[cell]);
    }
}

template <class T>
Judgement Judge<T>::operator()(const Solution<T>& s, int exactly) const {
  const Problem<T>& p = problem_;
  ProblemShape shape = p;
  if (exactly > 0) shape.max_iters = exactly, shape.tolerance = -1;
  Judgement out;
  out.verdict = explain_shape(shape, s);
  if (!out.verdict.empty()) return out;

  LabelCheck labels;
  const ClusterSums truth = over_ranks(p.group, own_sums(s, &labels));
  labels = over_ranks(p.group, labels, p.shard.first);
  out.inertia = truth.inertia;
  out.cluster_sizes = truth.counts;
  out.judged_points = labels.judged;
  out.wrong_labels = labels.wrong;
  out.tied_labels = labels.tied;
  out.label_excess = relative_excess(labels, spread_);
  out.verdict = explain_labels(labels);
  check_means(s, truth, out);
  out.grade = grade_of(out);
  return out;
}

template class Judge<float>;
template class Judge<double>;

}  // namespace km

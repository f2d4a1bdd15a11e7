#include "bench/judge/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/data/hash.hpp"
#include "bench/judge/judge_device.hpp"

namespace km {
namespace {

std::string explain_labels(const LabelCheck& check) {
  if (check.first_bad < 0) return "";
  const int label = check.first_label;
  if (check.first_is_tie)
    return fmt::format(
        "point {} has label {} but centroid {} is at the same distance² ({:.9g}) and has the lower index; {} of {} judged labels break a tie so",
        check.first_bad, label, check.first_best, check.first_best_dist, check.broken_ties, check.judged);
  return fmt::format("point {} has label {} (distance² {:.9g}) but centroid {} is nearer ({:.9g}); {} of {} judged labels are wrong", check.first_bad,
                     label, check.first_bad_dist, check.first_best, check.first_best_dist, check.out_of_bound, check.judged);
}

Grade grade_of(const Judgement& j) {
  if (j.wrong_labels == 0 && j.tied_labels == 0 && j.mean_roundoffs <= 4) return Grade::exact;
  const bool without_effect = double(j.wrong_labels) <= 1e-4 * double(j.judged_points) && j.label_excess <= 1e-6 && j.mean_offset <= 1e-4;
  return without_effect ? Grade::rounded : Grade::coarse;
}

}  // namespace

void must_agree(Group* group, std::int64_t value, const char* what) {
  const auto all = gathered<std::int64_t>(group, {value});
  const auto other = std::ranges::find_if(all, [&](std::int64_t one) { return one != all[0]; });
  if (other != all.end()) throw AgreedFailure(fmt::format("rank {} {} than rank 0", other - all.begin(), what));
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
  if (s.labels.size() != std::size_t(p.n)) return fmt::format("{} labels for {} points", s.labels.size(), p.n);
  if (s.centroids.size() != cells || s.assigned_centroids.size() != cells)
    return fmt::format("{} centroid values for k d = {}", s.centroids.size() != cells ? s.centroids.size() : s.assigned_centroids.size(), cells);
  if (s.iters < 1 || s.iters > p.max_iters || (p.tolerance < 0 && s.iters != p.max_iters))
    return fmt::format("{} iterations where {} {} were asked for", s.iters, p.tolerance < 0 ? "exactly" : "at most", p.max_iters);
  for (const auto* centroids : {&s.assigned_centroids, &s.centroids})
    for (std::size_t cell = 0; cell < cells; ++cell)
      if (!std::isfinite((*centroids)[cell])) return fmt::format("centroid {}, dimension {} is {}", cell / p.d, cell % p.d, (*centroids)[cell]);
  std::int64_t bad = p.n;
#pragma omp parallel for reduction(min : bad) if (p.n > 1 << 20)
  for (std::int64_t i = 0; i < p.n; ++i)
    if (std::uint32_t(s.labels[std::size_t(i)]) >= std::uint32_t(p.k)) bad = std::min(bad, i);
  if (bad == p.n) return "";
  return fmt::format("point {} has label {}: labels are 0 to {}", problem_.shard.first + bad, s.labels[std::size_t(bad)], p.k - 1);
}

std::string_view to_string(Grade grade) { return grade == Grade::exact ? "exact" : grade == Grade::rounded ? "rounded" : "coarse"; }

template <class T>
Judge<T>::Judge(const Problem<T>& problem, const Description& description, const Config& config, Spread spread)
    : problem_(problem), form_(description.distance), depth_(summation_depth(description, problem.whole(), config)),
      kept_(double(kept_points(description, problem.whole(), config)) * unit_roundoff<T> *
            std::sqrt(2.0 * double(problem.whole().n) * problem.max_iters)),
      drift_(description.incremental && description.incremental(config) ? 1e-3 : 0), frame_(description.fixed_point ? 0x1p-52 : 0),
      spread_(spread.deviations.empty() ? spread_of(problem) : std::move(spread)) {}

template <class T>
ClusterSums Judge<T>::own_sums(const Solution<T>& s) const {
  ClusterSums sums;
  if (is_large() && look_on_device(problem_, s, form_, sums, nullptr)) return sums;
  return sums_on_host(problem_, s);
}

template <class T>
std::vector<double> Judge<T>::bounds_of(const Solution<T>& s, const ClusterSums& truth, double summation) const {
  std::vector<double> bounds(s.centroids.size());
  for (std::size_t cell = 0; cell < bounds.size(); ++cell) {
    const auto count = truth.counts[cell / problem_.d];
    // An empty cluster has its centroid from an earlier iteration, or from the start.
    const double mean_abs = count > 0 ? truth.abs_sums[cell] / double(count) : std::abs(double(s.centroids[cell]));
    const double bound = mean_bound<T>(mean_abs, count > 0 ? count : problem_.whole().n, depth_, summation);
    const auto j = cell % problem_.d;
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
  return beyond(0) && beyond(summation_error(s, truth));
}

template <class T>
Solution<T> Judge<T>::run_rounded(const Problem<T>& p, double summation, double share, std::mt19937_64& draws, std::uint64_t& path) const {
  std::uniform_real_distribution<double> rounding(-1, 1);
  Solution<T> s;
  s.labels.assign(std::size_t(p.n), no_label);
  s.centroids.assign(p.initial_centroids.begin(), p.initial_centroids.end());
  for (std::int64_t changed = 0; s.iters == 0 || (s.iters < p.max_iters && !p.whole().converged(changed)); ++s.iters) {
    s.assigned_centroids = s.centroids;
    changed = summed(p.group, label_rounded<T>(p, s.assigned_centroids, form_, std::pow(share, 6), draws(), s.labels));
    const std::string_view labels(reinterpret_cast<const char*>(s.labels.data()), s.labels.size() * sizeof(std::int32_t));
    const auto hash = std::int64_t(std::hash<std::string_view>{}(labels) >> 16);  // the sum of 2^15 ranks does not overflow
    path = path * 0x100000001b3 ^ std::uint64_t(summed(p.group, hash));
    const ClusterSums truth = sums_of(s);
    const auto bounds = bounds_of(s, truth, summation);
    for (std::size_t cell = 0; cell < bounds.size(); ++cell)
      if (const auto count = double(truth.counts[cell / p.d]); count > 0)
        s.centroids[cell] = T(truth.sums[cell] / count + truth.remainders[cell] / count + share * bounds[cell] * rounding(draws));
  }
  return s;
}

template <class T>
Judgement Judge<T>::operator()(const Solution<T>& s, int exactly) const {
  const Problem<T>& p = problem_;
  ProblemShape shape = p;
  if (exactly > 0) shape.max_iters = exactly, shape.tolerance = -1;
  Judgement out;
  out.verdict = explain_shape(shape, s);
  if (!out.verdict.empty()) return out;

  ClusterSums truth;
  LabelCheck labels;
  if (!is_large() || !look_on_device(p, s, form_, truth, &labels)) {
    truth = sums_on_host(p, s);
    labels = check_labels_on_host(p, s, form_);
  }
  truth = over_ranks(p.group, std::move(truth));
  labels = over_ranks(p.group, labels, p.shard.first);
  out.inertia = truth.inertia;
  out.cluster_sizes = truth.counts;

  out.judged_points = labels.judged;
  out.wrong_labels = labels.wrong;
  out.tied_labels = labels.tied;
  out.label_excess = labels.excess == 0 ? 0 : labels.excess / labels.least;
  out.verdict = explain_labels(labels);
  check_means(s, truth, out);
  out.grade = grade_of(out);
  return out;
}

template class Judge<float>;
template class Judge<double>;

}  // namespace km

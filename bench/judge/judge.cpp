#include "bench/judge/judge.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/judge/judge_device.hpp"

namespace km {
namespace {

template <class T>
constexpr double unit_roundoff = std::numeric_limits<T>::epsilon() / 2;

template <class T>
double distance(const T* x, const T* centroid, int d) {
  double dist = 0;
  for (int j = 0; j < d; ++j) {
    const double diff = double(x[j]) - double(centroid[j]);
    dist += diff * diff;
  }
  return dist;
}

template <class T>
double norm(const T* x, int d) {
  double sum = 0;
  for (int j = 0; j < d; ++j) sum += double(x[j]) * double(x[j]);
  return sum;
}

/// Sizes, iterations, NaN, labels that are none: what makes the rest pointless.
template <class T>
std::string explain_shape(const Problem<T>& p, const Solution<T>& s) {
  const auto cells = std::size_t(p.k) * p.d;
  if (s.labels.size() != std::size_t(p.n)) return fmt::format("{} labels for {} points", s.labels.size(), p.n);
  if (s.centroids.size() != cells || s.assigned_centroids.size() != cells)
    return fmt::format("{} centroid values for k d = {}", s.centroids.size(), cells);
  if (s.iters < 1 || s.iters > p.max_iters || (p.tolerance < 0 && s.iters != p.max_iters))
    return fmt::format("{} iterations where {} {} were asked for", s.iters, p.tolerance < 0 ? "exactly" : "at most", p.max_iters);
  for (const auto* centroids : {&s.assigned_centroids, &s.centroids})
    for (std::size_t cell = 0; cell < cells; ++cell)
      if (!std::isfinite((*centroids)[cell]))
        return fmt::format("centroid {}, dimension {} is {}", cell / p.d, cell % p.d, (*centroids)[cell]);
  const auto bad = std::ranges::find_if(s.labels, [&](auto label) { return label < 0 || label >= p.k; });
  if (bad != s.labels.end())
    return fmt::format("point {} has label {}: labels are 0 to {}", bad - s.labels.begin(), *bad, p.k - 1);
  return "";
}

template <class T>
ClusterSums sums_on_host(const Problem<T>& p, const Solution<T>& s) {
  const std::size_t cells = std::size_t(p.k) * p.d;
  const int threads = int(std::clamp<std::int64_t>(p.n / 4096, 1, omp_get_max_threads()));
  std::vector<ClusterSums> parts(threads);
#pragma omp parallel num_threads(threads)
  {
    ClusterSums part{std::vector<double>(cells), std::vector<double>(cells), std::vector<std::int64_t>(p.k)};
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < p.n; ++i) {
      const T* x = p.points.data() + i * p.d;
      const int c = s.labels[i];
      ++part.counts[c];
      part.inertia += distance(x, s.centroids.data() + std::size_t(c) * p.d, p.d);
      for (int j = 0; j < p.d; ++j) {
        part.sums[std::size_t(c) * p.d + j] += double(x[j]);
        part.abs_sums[std::size_t(c) * p.d + j] += std::abs(double(x[j]));
      }
    }
    parts[omp_get_thread_num()] = std::move(part);
  }
  for (int t = 1; t < threads; ++t) {
    std::ranges::transform(parts[0].sums, parts[t].sums, parts[0].sums.begin(), std::plus{});
    std::ranges::transform(parts[0].abs_sums, parts[t].abs_sums, parts[0].abs_sums.begin(), std::plus{});
    std::ranges::transform(parts[0].counts, parts[t].counts, parts[0].counts.begin(), std::plus{});
    parts[0].inertia += parts[t].inertia;
  }
  return std::move(parts[0]);
}

/// Each centroid is the mean of its points; one without points is where it was.
template <class T>
std::string explain_means(const Problem<T>& p, const Solution<T>& s, const ClusterSums& truth, std::int64_t depth, double& worst) {
  for (int c = 0; c < p.k; ++c)
    for (int j = 0; j < p.d; ++j) {
      const std::size_t cell = std::size_t(c) * p.d + j;
      const double value = s.centroids[cell];
      const auto count = truth.counts[c];
      if (count == 0) {
        if (s.centroids[cell] != s.assigned_centroids[cell])
          return fmt::format("centroid {} has no points and moved: dimension {} from {} to {}", c, j, s.assigned_centroids[cell], value);
        continue;
      }
      const double mean = truth.sums[cell] / double(count), mean_abs = truth.abs_sums[cell] / double(count);
      const double chain = double(std::min(depth, count));
      const double bound = 2 * mean_abs * ((chain + 2) * unit_roundoff<T> + double(count) * unit_roundoff<double>) +
                           std::numeric_limits<T>::denorm_min();
      worst = std::max(worst, std::abs(value - mean));
      if (!(std::abs(value - mean) <= bound))
        return fmt::format("centroid {}, dimension {} is {:.9g} but the mean of its {} points is {:.9g}; rounding explains {:.2g}", c, j,
                           value, count, mean, bound);
    }
  return "";
}

/// The points whose labels are judged: all, or a seeded sample in ascending order.
std::vector<std::int64_t> sample_points(const ProblemShape& p) {
  const double per_point = double(p.k) * p.d;
  if (double(p.n) * per_point <= label_budget || p.n <= 100'000) return {};
  const auto wanted = std::max<std::int64_t>(100'000, std::int64_t(label_budget / per_point));
  std::mt19937_64 random(p.n);
  std::vector<std::int64_t> sample(wanted);
  for (std::int64_t s = 0; s < wanted; ++s) {  // one point of each of `wanted` equal stretches
    const std::int64_t first = std::int64_t(__int128(p.n) * s / wanted), last = std::int64_t(__int128(p.n) * (s + 1) / wanted);
    sample[s] = first + std::int64_t(random() % std::uint64_t(last - first));
  }
  return sample;
}

template <class T>
LabelCheck judge_labels_on_host(const Problem<T>& p, const Solution<T>& s, Distance form) {
  const auto sample = sample_points(p);
  LabelCheck all;
  all.judged = sample.empty() ? p.n : std::int64_t(sample.size());
#pragma omp parallel
  {
    LabelCheck mine;
#pragma omp for schedule(static)
    for (std::int64_t at = 0; at < all.judged; ++at) {
      const std::int64_t i = sample.empty() ? at : sample[at];
      const T* x = p.points.data() + i * p.d;
      int best = 0;
      double best_dist = std::numeric_limits<double>::infinity();
      for (int c = 0; c < p.k; ++c)
        if (const double dist = distance(x, s.assigned_centroids.data() + std::size_t(c) * p.d, p.d); dist < best_dist) {
          best_dist = dist;
          best = c;
        }
      const int label = s.labels[i];
      if (label == best) continue;
      const T* given = s.assigned_centroids.data() + std::size_t(label) * p.d;
      const double dist = distance(x, given, p.d);
      if (dist == best_dist) continue;
      ++mine.wrong_labels;
      const double magnitude = form == Distance::difference ? dist + best_dist
                                                            : 2 * norm(x, p.d) + norm(given, p.d) +
                                                                  norm(s.assigned_centroids.data() + std::size_t(best) * p.d, p.d);
      if (dist - best_dist <= rounding_factor(p.d) * unit_roundoff<T> * magnitude) continue;
      if (mine.out_of_bound++ == 0) {
        mine.first_bad = i;
        mine.first_bad_dist = dist;
        mine.first_best_dist = best_dist;
        mine.first_best = best;
      }
    }
#pragma omp critical
    {
      const auto wrong = all.wrong_labels + mine.wrong_labels, out = all.out_of_bound + mine.out_of_bound, judged = all.judged;
      if (mine.out_of_bound > 0 && (all.first_bad < 0 || mine.first_bad < all.first_bad)) all = mine;
      all.wrong_labels = wrong;
      all.out_of_bound = out;
      all.judged = judged;
    }
  }
  return all;
}

}  // namespace

template <class T>
Judgement judge(const Problem<T>& p, const Solution<T>& s, const Description& description, const Config& config) {
  Judgement out;
  out.verdict = explain_shape(p, s);
  if (!out.verdict.empty()) return out;

  ClusterSums truth;
  if (!sums_on_device<T>(p.points, p, s.labels, s.centroids, truth)) truth = sums_on_host(p, s);
  out.inertia = truth.inertia;
  out.cluster_sizes = truth.counts;
  const std::int64_t depth = description.summation_depth ? description.summation_depth(p, config) : p.n;
  out.verdict = explain_means(p, s, truth, depth, out.mean_error);

  LabelCheck check;
  if (!judge_labels_on_device<T>(p.points, p, s.labels, s.assigned_centroids, description.distance, check))
    check = judge_labels_on_host(p, s, description.distance);
  out.wrong_labels = check.wrong_labels;
  out.judged_points = check.judged;
  if (check.out_of_bound > 0)
    out.verdict = fmt::format("point {} has label {} (distance² {:.9g}) but centroid {} is nearer ({:.9g}); {} of {} judged labels are wrong",
                              check.first_bad, s.labels[check.first_bad], check.first_bad_dist, check.first_best, check.first_best_dist,
                              check.out_of_bound, check.judged);
  return out;
}

template <class T>
double centroid_error(const std::vector<T>& centroids, const std::vector<double>& ideal, int d) {
  double sum = 0;
  for (std::size_t c = 0; c < centroids.size(); c += d) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t o = 0; o < ideal.size(); o += d) {
      double error = 0;
      for (int j = 0; j < d; ++j) error += std::abs(double(centroids[c + j]) - ideal[o + j]);
      best = std::min(best, error);
    }
    sum += best;
  }
  return sum / double(centroids.size());
}

template Judgement judge<float>(const Problem<float>&, const Solution<float>&, const Description&, const Config&);
template Judgement judge<double>(const Problem<double>&, const Solution<double>&, const Description&, const Config&);
template double centroid_error<float>(const std::vector<float>&, const std::vector<double>&, int);
template double centroid_error<double>(const std::vector<double>&, const std::vector<double>&, int);

}  // namespace km

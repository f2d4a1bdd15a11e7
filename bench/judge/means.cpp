// Compensated sums: compile without contraction and fast-math.
#include "bench/judge/judge.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <limits>
#include <numeric>
#include <utility>

namespace km {
namespace {

/// Adds value to sum + remainder without rounding (Knuth's TwoSum).
inline void add_exactly(double& sum, double& remainder, double value) {
  const double total = sum + value, of_value = total - sum;
  remainder += (sum - (total - of_value)) + (value - of_value);
  sum = total;
}

}  // namespace

void ClusterSums::add(const ClusterSums& other) {
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    add_exactly(sums[cell], remainders[cell], other.sums[cell]);
    remainders[cell] += other.remainders[cell];
    abs_sums[cell] += other.abs_sums[cell];
  }
  for (std::size_t c = 0; c < counts.size(); ++c) counts[c] += other.counts[c];
  inertia += other.inertia;
}

ClusterSums over_ranks(Group* group, ClusterSums mine) {
  if (!group) return mine;
  const std::size_t cells = mine.sums.size(), k = mine.counts.size();
  std::vector<double> numbers;  // counts are exact up to 2^53
  for (const auto* part : {&mine.sums, &mine.remainders, &mine.abs_sums}) numbers.insert(numbers.end(), part->begin(), part->end());
  numbers.insert(numbers.end(), mine.counts.begin(), mine.counts.end());
  numbers.push_back(mine.inertia);
  const std::vector<double> all = gathered(group, numbers);
  ClusterSums sum;
  for (auto at = all.begin(); at != all.end(); at += std::ptrdiff_t(numbers.size())) {
    const auto part = [&](std::size_t first) { return std::vector<double>(at + std::ptrdiff_t(first), at + std::ptrdiff_t(first + cells)); };
    const auto counts = at + std::ptrdiff_t(3 * cells), end = counts + std::ptrdiff_t(k);
    ClusterSums one{part(0), part(cells), part(2 * cells), {counts, end}, *end};
    if (at == all.begin()) sum = std::move(one);
    else sum.add(one);
  }
  return sum;
}

template <class T>
ClusterSums sums_on_host(const Problem<T>& p, const Solution<T>& s) {
  const int d = p.d;
  const std::size_t cells = std::size_t(p.k) * d;
  const ClusterSums empty{std::vector<double>(cells), std::vector<double>(cells), std::vector<double>(cells), std::vector<std::int64_t>(p.k)};
  const int threads = int(std::clamp<std::int64_t>(p.n / 4096, 1, omp_get_max_threads()));
  std::vector<ClusterSums> parts(threads, empty);
#pragma omp parallel num_threads(threads)
  {
    ClusterSums part = empty;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < p.n; ++i) {
      const T* x = p.points.data() + i * d;
      const std::size_t c = std::size_t(s.labels[std::size_t(i)]);
      ++part.counts[c];
      double dist = 0;
      for (int j = 0; j < d; ++j) {
        const std::size_t cell = c * d + j;
        const double value = double(x[j]), diff = value - double(s.centroids[cell]);
        dist += diff * diff;
        add_exactly(part.sums[cell], part.remainders[cell], value);
        part.abs_sums[cell] += std::abs(value);
      }
      part.inertia += dist;
    }
    parts[omp_get_thread_num()] = std::move(part);
  }
  for (int t = 1; t < threads; ++t) parts[0].add(parts[t]);
  return std::move(parts[0]);
}

template <class T>
Spread spread_of(const Problem<T>& p) {
  const int d = p.d;
  // Subtract the first point, so that a large offset does not cancel.
  const std::vector<T> origin = gathered<T>(p.group, {p.points.begin(), p.points.begin() + (p.n > 0 ? d : 0)});
  std::vector<double> sums(d), squares(d), greatest(d);
#pragma omp parallel
  {
    std::vector<double> sum(d), square(d), most(d);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < p.n; ++i)
      for (int j = 0; j < d; ++j) {
        const double x = double(p.points[std::size_t(i * d + j)]), value = x - double(origin[j]);
        most[j] = std::max(most[j], std::abs(x));
        sum[j] += value;
        square[j] += value * value;
      }
#pragma omp critical(km_judge_spread)
    for (int j = 0; j < d; ++j) {
      greatest[j] = std::max(greatest[j], most[j]);
      sums[j] += sum[j];
      squares[j] += square[j];
    }
  }
  std::vector<double> numbers = sums;
  for (const auto* part : {&squares, &greatest}) numbers.insert(numbers.end(), part->begin(), part->end());
  const std::vector<double> all = gathered(p.group, std::move(numbers));
  std::ranges::fill(sums, 0), std::ranges::fill(squares, 0);
  for (std::size_t at = 0; at < all.size(); at += 3 * std::size_t(d))
    for (int j = 0; j < d; ++j) {
      sums[j] += all[at + j], squares[j] += all[at + d + j];
      greatest[j] = std::max(greatest[j], all[at + 2 * d + j]);
    }
  std::vector<double> deviations(d);
  const double n = double(p.whole().n);
  for (int j = 0; j < d; ++j) deviations[j] = std::sqrt(std::max(0.0, squares[j] / n - (sums[j] / n) * (sums[j] / n)));
  return {std::move(deviations), std::move(greatest)};
}

template <class T>
double Judge<T>::summation_error(const Solution<T>& s, const ClusterSums& all) const {
  const ClusterSums truth = problem_.group ? own_sums(s) : all;  // a chain has points of one rank
  const int d = problem_.d, shares = std::clamp(omp_get_max_threads() / 2, (d + 15) / 16, d), width = (d + shares - 1) / shares;  // of a row
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
        for (int j = first; j < end; ++j) chain[c * d + j] += x[j];
        if (++length[c] < depth_) continue;
        length[c] = 0;
        for (int j = first; j < end; ++j) total[c * d + j] += std::exchange(chain[c * d + j], T(0));
      }
      for (int c = 0; c < problem_.k; ++c)
        for (int j = first; j < end; ++j) {
          const std::size_t cell = std::size_t(c) * d + j;
          const double error = std::abs((double(T(total[cell] + chain[cell])) - truth.sums[cell]) - truth.remainders[cell]);
          if (truth.abs_sums[cell] > 0) worst = std::max(worst, error / truth.abs_sums[cell]);
        }
    }
  return std::ranges::max(gathered<double>(problem_.group, {worst}));
}

template <class T>
void Judge<T>::check_means(const Solution<T>& s, const ClusterSums& truth, Judgement& out) const {
  constexpr double u = unit_roundoff<T>, least = double(std::numeric_limits<T>::denorm_min());
  const auto bounds = bounds_of(s, truth, 0);
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
      const double mean = truth.sums[cell] / double(count) + truth.remainders[cell] / double(count);
      const double mean_abs = truth.abs_sums[cell] / double(count), error = std::abs(value - mean);
      if (error <= u * std::abs(mean) * 1.001 + least) continue;  // rounded once: no better value exists
      out.mean_error = std::max(out.mean_error, error);
      out.mean_offset = std::max(out.mean_offset, error / std::max(spread_.deviations[j], u * mean_abs));
      out.mean_roundoffs = std::max(out.mean_roundoffs, error / (u * mean_abs));
      if (!(error > bounds[cell]) || !out.verdict.empty()) continue;
      if (wider.empty()) wider = bounds_of(s, truth, summation_error(s, truth));
      if (!(error <= wider[cell]))
        out.verdict = fmt::format("centroid {}, dimension {} is {:.9g} but the mean of its {} points is {:.9g}; rounding explains {:.2g}", c, j,
                                  value, count, mean, wider[cell]);
    }
}

/// Threads share the centroids; a sum that exceeds the least so far ends early.
template <class T>
double centroid_error(const std::vector<T>& centroids, const std::vector<double>& ideal, int d) {
  std::vector<double> least(centroids.size() / std::size_t(d), std::numeric_limits<double>::infinity());
#pragma omp parallel for if (centroids.size() * ideal.size() > 1 << 20)
  for (std::size_t c = 0; c < least.size(); ++c)
    for (std::size_t o = 0; o < ideal.size(); o += d) {
      double error = 0;
      for (int j = 0; j < d && error < least[c]; ++j) error += std::abs(double(centroids[c * d + j]) - ideal[o + j]);
      least[c] = std::min(least[c], error);
    }
  return std::accumulate(least.begin(), least.end(), 0.0) / double(centroids.size());
}

template ClusterSums sums_on_host(const Problem<float>&, const Solution<float>&);
template ClusterSums sums_on_host(const Problem<double>&, const Solution<double>&);
template double centroid_error(const std::vector<float>&, const std::vector<double>&, int);
template double centroid_error(const std::vector<double>&, const std::vector<double>&, int);
template Spread spread_of(const Problem<float>&);
template Spread spread_of(const Problem<double>&);
template double Judge<float>::summation_error(const Solution<float>&, const ClusterSums&) const;
template double Judge<double>::summation_error(const Solution<double>&, const ClusterSums&) const;
template void Judge<float>::check_means(const Solution<float>&, const ClusterSums&, Judgement&) const;
template void Judge<double>::check_means(const Solution<double>&, const ClusterSums&, Judgement&) const;

}  // namespace km

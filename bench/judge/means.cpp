// Compensated sums: compile without contraction and fast-math.
#include "bench/judge/errors.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace km {
namespace {

/// Of one dimension: sums of values and of their squares, and the greatest |x|.
struct Moments {
  double sum = 0, squares = 0, greatest = 0;

  void add(const Moments& other) {
    sum += other.sum;
    squares += other.squares;
    greatest = std::max(greatest, other.greatest);
  }
};

}  // namespace

void ClusterSums::add(const ClusterSums& other) {
  for (std::size_t cell = 0; cell < cells.size(); ++cell) cells[cell].add(other.cells[cell]);
  for (std::size_t c = 0; c < counts.size(); ++c) counts[c] += other.counts[c];
  inertia += other.inertia;
}

ClusterSums over_ranks(Group* group, ClusterSums mine) {
  if (!group) return mine;
  const std::vector<ExactSum> cells = gathered(group, std::exchange(mine.cells, std::vector<ExactSum>(mine.cells.size())));
  for (std::size_t at = 0; at < cells.size(); ++at) mine.cells[at % mine.cells.size()].add(cells[at]);
  group->sum(mine.counts);
  const std::vector<double> inertias = gathered<double>(group, {mine.inertia});
  mine.inertia = std::accumulate(inertias.begin(), inertias.end(), 0.0);
  return mine;
}

template <class T>
ClusterSums sums_on_host(const Problem<T>& p, const Solution<T>& s) {
  const int d = p.d;
  const ClusterSums empty{std::vector<ExactSum>(std::size_t(p.k) * d), std::vector<std::int64_t>(p.k)};
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
        part.cells[cell].add(value);
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
  const auto d = std::size_t(p.d);
  // Subtract the first point, so that a large offset does not cancel.
  const std::vector<T> origin = gathered<T>(p.group, {p.points.begin(), p.points.begin() + (p.n > 0 ? p.d : 0)});
  std::vector<Moments> mine(d);
#pragma omp parallel if (double(p.n) * p.d > 1e5)
  {
    std::vector<Moments> part(d);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < p.n; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        const double x = double(p.points[std::size_t(i) * d + j]), value = x - double(origin[j]);
        part[j].add({value, value * value, std::abs(x)});
      }
#pragma omp critical(km_judge_spread)
    for (std::size_t j = 0; j < d; ++j) mine[j].add(part[j]);
  }
  const std::vector<Moments> of_ranks = gathered(p.group, std::move(mine));
  const double n = double(p.whole().n);
  Spread spread;
  for (std::size_t j = 0; j < d; ++j) {
    Moments all;
    for (std::size_t at = j; at < of_ranks.size(); at += d) all.add(of_ranks[at]);
    spread.deviations.push_back(std::sqrt(std::max(0.0, all.squares / n - (all.sum / n) * (all.sum / n))));
    spread.means.push_back(double(origin[j]) + all.sum / n);
    spread.greatest.push_back(all.greatest);
  }
  return spread;
}

template ClusterSums sums_on_host(const Problem<float>&, const Solution<float>&);
template ClusterSums sums_on_host(const Problem<double>&, const Solution<double>&);
template Spread spread_of(const Problem<float>&);
template Spread spread_of(const Problem<double>&);

}  // namespace km

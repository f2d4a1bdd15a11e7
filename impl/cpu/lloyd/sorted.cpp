// Lloyd's in one dimension, over sorted points. A cluster is an interval of them: a search between neighbouring centroids finds its end, and its sum is a
// difference of prefix sums (Grønlund et al., "Fast Exact k-Means, k-Medians and Bregman Divergence Clustering in 1D", arXiv 1701.07204, 2017).
// Cost: prepare sorts. An iteration is k searches, each from where the last iteration's ended, whatever n is; the end of a run labels the points, n log k.
// Memory: the points again and 24 bytes a point.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <span>

#include "bench/base/exact.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

/// Sorts parts at once, then merges pairs of them.
template <class T>
void sort_by_threads(std::vector<T>& values, int threads) {
  const auto n = std::ssize(values);
  std::vector<std::ptrdiff_t> ends(std::bit_ceil(unsigned(threads)) + 1);
  const auto parts = std::ssize(ends) - 1;
  for (std::ptrdiff_t part = 0; part <= parts; ++part) ends[part] = n * part / parts;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::ptrdiff_t part = 0; part < parts; ++part) std::sort(values.begin() + ends[part], values.begin() + ends[part + 1]);
  for (std::ptrdiff_t merged = 1; merged < parts; merged *= 2)
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (std::ptrdiff_t part = 0; part < parts; part += 2 * merged)
      std::inplace_merge(values.begin() + ends[part], values.begin() + ends[part + merged], values.begin() + ends[part + 2 * merged]);
}

/// Sums of intervals of values, in twice fp64's precision.
class PrefixSums {
 public:
  template <class T>
  explicit PrefixSums(std::span<const T> values) : parts_(values.size() + 1) {
    double greatest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      parts_[i + 1] = parts_[i];
      parts_[i + 1].add(double(values[i]));
      greatest = std::max(greatest, std::abs(parts_[i + 1].remainder));
    }
    error_ = double(values.size()) * greatest * 0x1p-52;  // of adding remainders, which rounds
  }

  /// Of values first to last - 1, within 2^-52; of those themselves if the difference is no more exact.
  template <class T>
  double operator()(std::span<const T> values, std::int64_t first, std::int64_t last) const {
    const double sum = (parts_[last].sum - parts_[first].sum) + (parts_[last].remainder - parts_[first].remainder);
    if (std::abs(sum) * 0x1p-54 >= error_) return sum;
    ExactSum own;
    for (const T value : values.subspan(first, last - first)) own.add(double(value));
    return own.mean(1);
  }

 private:
  std::vector<ExactSum> parts_;
  double error_ = 0;
};

template <class T>
class Sorted : public CpuSolver<T> {
 public:
  Sorted(const Problem<T>& problem, const Config& config, Trace&)
      : CpuSolver<T>(problem), threads_(problem.n < few_points ? 1 : threads_of(config)), values_(sorted(problem, threads_)),
        sums_(std::span<const T>(values_)), order_(problem.k) {}

  int iterate(Trace& trace) {
    this->take_initial();
    std::iota(order_.begin(), order_.end(), 0);
    intervals_.assign(p_.k, {});
    out_.iters = lloyd(
        p_, trace, [&] { return assign(); }, [&] { update(); });
    label();
    return out_.iters;
  }

 private:
  struct Interval {
    std::int64_t first = 0, last = 0;
  };
  static constexpr std::int64_t few_points = 20'000;  // take less time than waking threads

  static std::vector<T> sorted(const Problem<T>& p, int threads) {
    std::vector<T> values(p.points.begin(), p.points.end());
    sort_by_threads(values, threads);
    return values;
  }

  /// Gives every cluster its interval of points, of equal centroids to the first. Returns how many points changed cluster.
  std::int64_t assign() {
    out_.assigned_centroids = out_.centroids;
    const auto& at = out_.centroids;
    const auto before = [&](int a, int b) { return at[a] < at[b] || (at[a] == at[b] && a < b); };
    if (!std::ranges::is_sorted(order_, before)) std::ranges::sort(order_, before);
    last_.swap(intervals_);
    intervals_.assign(p_.k, {});
    std::int64_t first = 0, same = 0;
    for (std::size_t own = 0, next = 0; own < order_.size(); own = next) {
      const int c = order_[own];
      while (next < order_.size() && at[order_[next]] == at[c]) ++next;
      const std::int64_t last = next < order_.size() ? end_of(c, order_[next], first, last_[c].last) : p_.n;
      intervals_[c] = {first, last};
      same += std::max<std::int64_t>(0, std::min(last, last_[c].last) - std::max(first, last_[c].first));
      first = last;
    }
    return p_.n - same;
  }

  /// The first point, from `first` on, that is nearer to centroid b than to the lower a; the first index wins a tie. Doubling steps from `guess` enclose it.
  std::int64_t end_of(int a, int b, std::int64_t first, std::int64_t guess) const {
    const T *const of_a = &out_.centroids[a], *const of_b = &out_.centroids[b];
    const auto is_of_a = [&](const T& value) {
      const int nearer = compare_distances(&value, of_a, of_b, 1);
      return nearer < 0 || (nearer == 0 && a < b);
    };
    std::int64_t last = p_.n, step = 1;
    guess = std::max(guess, first);
    if (guess < last && is_of_a(values_[guess])) {
      for (first = guess + 1; first + step < last && is_of_a(values_[first + step]); step *= 2) first += step + 1;
      last = std::min(last, first + step);
    } else {
      for (last = guess; last - step >= first && !is_of_a(values_[last - step]); step *= 2) last -= step;
      first = std::max(first, last - step);
    }
    return std::partition_point(values_.begin() + first, values_.begin() + last, is_of_a) - values_.begin();
  }

  void update() {
    for (int c = 0; c < p_.k; ++c)
      if (const auto [first, last] = intervals_[c]; first < last)
        out_.centroids[c] = T(sums_(std::span<const T>(values_), first, last) / double(last - first));
  }

  /// Labels the points by the least values of the clusters.
  void label() {
    std::vector<int> clusters;
    std::vector<T> least;
    for (const int c : order_)
      if (intervals_[c].first < intervals_[c].last) clusters.push_back(c), least.push_back(values_[intervals_[c].first]);
    const std::size_t half = std::bit_ceil(clusters.size()) / 2;
    least.resize(std::max<std::size_t>(1, 2 * half), std::numeric_limits<T>::infinity());
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t i = 0; i < p_.n; ++i) {
      std::size_t own = 0;
      for (std::size_t step = half; step > 0; step /= 2) own += least[own + step] <= p_.points[i] ? step : 0;
      out_.labels[i] = clusters[own];
    }
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  int threads_;
  std::vector<T> values_;
  PrefixSums sums_;
  std::vector<int> order_;  // clusters by centroid
  std::vector<Interval> intervals_, last_;
};

const Register<Sorted> registration{{
    .summary = "one dimension: clusters as intervals of sorted points, sums as differences of prefix sums",
    .parameters = {threads_parameter()},
    .unsupported = [](const ProblemShape& p, const Config&,
                      int) { return p.d == 1 ? "" : fmt::format("{} dimensions; it sorts points of one", p.d); },
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 8; },
    .work =
        [](const ProblemShape& p, const Config&, int value_bytes) {
          return Work{2.0 * p.k * value_bytes, 3.0 * p.k};
        },
}};

}  // namespace
}  // namespace km
